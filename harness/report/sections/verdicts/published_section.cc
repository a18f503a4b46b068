// Published figures beside measured ones, and as CSV.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/compared_figures.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/store/cell_parameters.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostOthers = 20;  // rows without a counterpart; the CSV file has all

// "devices=2, model=resnet50".
std::string conditions_text(const std::string& json) {
  std::string text;
  for (const auto& [name, value] : parse_conditions(json)) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  }
  return text.empty() ? "–" : text;
}

// As printed, with what its column says of the unit behind it: "62.97 us", "83K samples/s".
std::string printed_text(const PublishedFigureRow& figure) {
  const auto prints = [&](const std::string& part) {
    return figure.printed.find(part) != std::string::npos;
  };
  const std::size_t blank = figure.printed_unit.find(' ');
  if (prints(figure.printed_unit)) {
    return figure.printed;
  }
  const bool prints_multiplier =
      blank != std::string::npos && prints(figure.printed_unit.substr(0, blank));
  return figure.printed + " " +
         (prints_multiplier ? figure.printed_unit.substr(blank + 1) : figure.printed_unit);
}

// A document has places of its own; in a tool's file it is a row of a table.
std::string where_text(const PublicationRow& publication, const PublishedFigureRow& figure) {
  if (publication.kind == PublicationKind::kDataset || !figure.row) {
    return figure.location;
  }
  return fmt::format("{}, row {}", figure.table_name, *figure.row);
}

// In the unit of the published number, so that the two can be read side by side.
std::string measured_text(const CounterpartRow& counterpart, const PublishedFigureRow& figure) {
  const std::string unit = figure.printed_unit.empty() ? counterpart.unit : figure.printed_unit;
  return format_interval(measure_of(counterpart), {.factor = 1.0 / figure.unit_size}) +
         (unit.empty() ? "" : " " + unit);
}

using FigureColumns = std::vector<Column<ComparedFigure>>;

FigureColumns figure_columns() {
  return {
      {{"source", "Source", "name of the dataset or file", Align::kText},
       [](const ComparedFigure& row) { return row.publication->source; }},
      {{"where", "Where", "section or lines of the document", Align::kText},
       [](const ComparedFigure& row) { return where_text(*row.publication, *row.figure); }},
      {{"quantity", "Quantity", "quantity, as in data/published/FORMAT.md", Align::kText},
       [](const ComparedFigure& row) { return row.figure->quantity; }},
      {{"conditions", "Conditions", "which run it is about: devices=2, model=mlp", Align::kText},
       [](const ComparedFigure& row) { return conditions_text(row.figure->conditions); }},
      {{"printed", "Published", "the figure as printed"},
       [](const ComparedFigure& row) { return printed_text(*row.figure); }},
  };
}

// What a device was in the sessions that ran the cell's trials: a GPU, or a core of a CPU; "" where
// none says.
std::string device_text(const ReportInput& input, const CellRow& cell, bool is_gpu) {
  std::set<std::int64_t> used;
  for (const std::int64_t id : input.used_trials(cell.id)) {
    used.insert(input.trial(id)->session_id.value_or(0));
  }
  std::set<std::string> devices;
  if (input.declared.is_remote()) {
    return "";
  }
  for (const SessionInput& session : input.sessions) {
    for (const EnvironmentRow& fact : session.environment) {
      if (used.contains(session.row.id) && fact.name == (is_gpu ? "gpu_model" : "cpu_model")) {
        devices.insert(is_gpu ? fact.value : "a core of " + fact.value);
      }
    }
  }
  return join(std::vector<std::string>(devices.begin(), devices.end()), " or ");
}

// "fp32, a core of Xeon 6248": what the measured number ran on.
std::string ran_on(const ReportInput& input, const CellRow& cell) {
  const EffectiveParameters effective = effective_parameters(cell, input.declared);
  const auto text = [&](const char* name) {
    const std::optional<Value> value = effective_value(effective, name);
    return value ? format_value(*value) : std::string();
  };
  std::vector<std::string> parts = {text(names::kPrecision),
                                    device_text(input, cell, text(names::kBackend) == "cuda")};
  std::erase(parts, "");
  return join(parts, ", ");
}

FigureColumns compared_columns(const ReportInput& input) {
  FigureColumns columns = figure_columns();
  columns.insert(
      columns.end(),
      {{{"hardware", "On", "hardware of the published figure", Align::kText, Shown::kDiffering},
        [](const ComparedFigure& row) { return row.publication->hardware.value_or("not said"); }},
       {{"measured", "Measured here", "measured there [interval], in the printed unit"},
        [](const ComparedFigure& row) { return measured_text(row.counterpart, *row.figure); }},
       {{"cell", "Cell", "the cell with the same conditions", Align::kText},
        [&input](const ComparedFigure& row) {
          return short_name(input, input.cell(*row.counterpart.cell_id));
        }},
       {{"ran_on", "Run on", "precision and device of the cell", Align::kText},
        [&input](const ComparedFigure& row) {
          return ran_on(input, input.cell(*row.counterpart.cell_id));
        }},
       {{"n", "n", "trials or pairs"},
        [](const ComparedFigure& row) { return std::to_string(row.counterpart.n); }},
       {{"normalised", "Compared", "as printed, or a device's share of each", Align::kText},
        [](const ComparedFigure& row) {
          return row.counterpart.per_device ? "per device" : "as printed";
        }},
       {{"ratio", "Measured over published (ratio)", "[interval of the measured]"},
        [](const ComparedFigure& row) {
          const CounterpartRow& found = row.counterpart;
          return format_interval({found.ratio, found.ratio_lo, found.ratio_hi}, {.levels = {1.0}});
        }},
       {{"watts",
         "W a device (published, here)",
         "power of a device, as either side declares it",
         Align::kNumber,
         Shown::kPresent},
        [&input](const ComparedFigure& row) {
          const std::optional<Cost>& cost = input.declared.cost;
          return row.counterpart.published_watts && cost && cost->energy
                     ? fmt::format("{}, {}",
                                   format_plain(*row.counterpart.published_watts),
                                   format_plain(cost->energy->watts_per_device))
                     : std::string();
        }},
       {{"per_watt",
         "A declared watt, measured over published (ratio)",
         "by what a declared watt does [interval of the measured]",
         Align::kNumber,
         Shown::kPresent},
        [](const ComparedFigure& row) {
          const CounterpartRow& found = row.counterpart;
          return format_interval({found.per_watt, found.per_watt_lo, found.per_watt_hi},
                                 {.levels = {1.0}});
        }}});
  return columns;
}

FigureColumns other_columns() {
  FigureColumns columns = figure_columns();
  columns.push_back({{"reason", "Why not compared", "why it is not compared", Align::kText},
                     [](const ComparedFigure& row) { return row.counterpart.reason; }});
  return columns;
}

struct Source {
  const PublicationRow* publication = nullptr;
  std::size_t compared = 0;
};

std::vector<Column<Source>> source_columns() {
  using enum Align;
  return {
      {{"source", "Source", "name of the dataset or file", kText},
       [](const Source& row) { return row.publication->source; }},
      {{"kind", "Kind", "published-dataset, nccl-tests, hyperfine or csv", kText},
       [](const Source& row) { return to_word(row.publication->kind); }},
      {{"title", "What", "what it is", kText},
       [](const Source& row) { return row.publication->title; }},
      {{"document", "Document", "document and its date", kText},
       [](const Source& row) {
         const PublicationRow& publication = *row.publication;
         return publication.document + (publication.date ? ", " + *publication.date : "");
       }},
      {{"hardware", "Hardware", "as the document says it", kText},
       [](const Source& row) { return row.publication->hardware.value_or(""); }},
      {{"figures", "Figures", "figures in it"},
       [](const Source& row) { return std::to_string(row.publication->figures.size()); }},
      {{"compared", "Compared", "those with a measured counterpart"},
       [](const Source& row) { return std::to_string(row.compared); }},
      {{"hash", "", "hash of what was imported", kText, Shown::kNever},
       [](const Source& row) { return row.publication->hash; }},
  };
}

void fill_published(View& view, const ReportInput& input, const FigurePaths& /*figures*/) {
  std::vector<Source> sources;
  std::vector<ComparedFigure> compared;
  std::vector<ComparedFigure>
      others;  // of quantities that were measured first: they are what one looks for
  std::vector<ComparedFigure> unmeasured;
  for (const PublicationRow& publication : input.publications) {
    const std::size_t before = compared.size();
    for (const PublishedFigureRow& figure : publication.figures) {
      const ComparedFigure row = {&publication, &figure, counterpart_of(input, figure)};
      (row.counterpart.cell_id                ? compared
       : row.counterpart.is_measured_quantity ? others
                                              : unmeasured)
          .push_back(row);
    }
    sources.push_back({&publication, compared.size() - before});
  }
  others.insert(others.end(), unmeasured.begin(), unmeasured.end());
  view.set_list("published_sources", one_table(source_columns(), sources));
  view.set_list("published_compared", one_table(compared_columns(input), compared));
  view.set_list("published_others", one_table(other_columns(), others, kMostOthers));
}

}  // namespace

Section published_section() {
  return {table_tags("published_sources",
                     "imported datasets and files that this report shows",
                     heads_of(source_columns())) +
              table_tags("published_compared",
                         "published figures that this study measured too",
                         heads_of(compared_columns(empty_input()))) +
              table_tags("published_others",
                         "the first published figures without a counterpart",
                         heads_of(other_columns())),
          fill_published};
}

}  // namespace scalestudy::report
