// Published figures beside measured ones, and as CSV.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/compared_figures.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// "2 devices, model resnet50"; `none` without any. Of an assumption "platform=*", that it may be
// any.
std::string conditions_text(const std::string& json, const char* none = "–") {
  std::vector<std::string> texts;
  for (const auto& [name, value] : parse_conditions(json)) {
    texts.insert(name == names::kDevices ? texts.begin() : texts.end(),
                 value == "*"
                     ? "any " + name_axis(name)
                     : name_parameter({.name = name, .value = value, .kind = ValueKind::kReal}));
  }
  return texts.empty() ? none : join(texts, ", ");
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
  if (unit == "x") {
    return format_interval(measure_of(counterpart),
                           {.factor = 1.0 / figure.unit_size, .unit = unit});
  }
  return format_interval(measure_of(counterpart), {.factor = 1.0 / figure.unit_size}) +
         (unit.empty() ? "" : " " + unit);
}

std::string ratio_text(const CounterpartRow& found) {
  return format_interval({found.ratio, found.ratio_lo, found.ratio_hi}, {.levels = {1.0}});
}

using FigureColumns = std::vector<Column<ComparedFigure>>;

FigureColumns figure_columns() {
  return {
      {{"source", "Source", "name of the dataset or file", Align::kText},
       [](const ComparedFigure& row) { return row.publication->source; }},
      {{"where", "Where", "section or lines of the document", Align::kText},
       [](const ComparedFigure& row) { return where_text(*row.publication, *row.figure); }},
      {{"quantity", "Quantity", "quantity, in words", Align::kText},
       [](const ComparedFigure& row) { return in_words(row.figure->quantity); }},
      {{"conditions", "Conditions", "which run it is about: 2 devices, model mlp", Align::kText},
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
       {{"assumed",
         "Assumed",
         "what import --assume declared for this comparison: devices=2",
         Align::kText,
         Shown::kPresent},
        [](const ComparedFigure& row) { return conditions_text(row.counterpart.assumed, ""); }},
       {{"n", "n", "trials or pairs"},
        [](const ComparedFigure& row) { return std::to_string(row.counterpart.n); }},
       {{"normalised", "Compared", "as printed, or a device's share of each", Align::kText},
        [](const ComparedFigure& row) {
          return row.counterpart.per_device ? "per device" : "as printed";
        }},
       {{"ratio", "Measured over published (ratio)", "[interval of the measured]"},
        [](const ComparedFigure& row) { return ratio_text(row.counterpart); }},
       {{"watts",
         "W per device (published, here)",
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
         "Per declared watt, measured over published (ratio)",
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

// Figures of one publication that are not compared for one reason.
struct Uncompared {
  const PublicationRow* publication = nullptr;
  std::string reason;
  bool is_measured_quantity = false;
  std::size_t figures = 0;
  std::vector<std::string> quantities;  // each once
};

std::vector<Column<Uncompared>> other_columns() {
  using enum Align;
  return {
      {{"source", "Source", "name of the dataset or file", kText},
       [](const Uncompared& row) { return row.publication->source; }},
      {{"figures", "Figures", "how many"},
       [](const Uncompared& row) { return std::to_string(row.figures); }},
      {{"quantity", "Quantities", "their quantities, in words", kText},
       [](const Uncompared& row) { return join(row.quantities, ", "); }},
      {{"reason", "Why not compared", "why they are not compared", kText},
       [](const Uncompared& row) { return row.reason; }},
  };
}

void add_uncompared(std::vector<Uncompared>& all, const ComparedFigure& figure) {
  auto found = std::ranges::find_if(all, [&](const Uncompared& row) {
    return row.publication == figure.publication && row.reason == figure.counterpart.reason;
  });
  if (found == all.end()) {
    all.push_back({figure.publication,
                   figure.counterpart.reason,
                   figure.counterpart.is_measured_quantity,
                   0,
                   {}});
    found = all.end() - 1;
  }
  ++found->figures;
  const std::string quantity = in_words(figure.figure->quantity);
  if (std::ranges::find(found->quantities, quantity) == found->quantities.end()) {
    found->quantities.push_back(quantity);
  }
}

// A printed row with a throughput and a cost of tokens or samples that were measured here, too.
struct Platform {
  const ComparedFigure* rate = nullptr;
  const ComparedFigure* cost = nullptr;
};

// Tokens or samples that the figure is the cost of: "1e+09 tokens"; "" for none.
std::string amount_of(const PublishedFigureRow& figure) {
  for (const char* name : {"tokens", "samples"}) {
    const std::map<std::string, std::string> conditions = parse_conditions(figure.conditions);
    if (const auto found = conditions.find(name); found != conditions.end()) {
      return found->second + " " + name;
    }
  }
  return "";
}

std::vector<Platform> platforms_of(const std::vector<ComparedFigure>& compared) {
  std::vector<Platform> platforms;
  for (const ComparedFigure& cost : compared) {
    if (cost.figure->quantity != "cost" || amount_of(*cost.figure).empty() || !cost.figure->row) {
      continue;
    }
    const auto rate = std::ranges::find_if(compared, [&](const ComparedFigure& row) {
      return row.publication == cost.publication && row.figure->quantity == names::kThroughput &&
             row.figure->table_name == cost.figure->table_name &&
             row.figure->row == cost.figure->row;
    });
    if (rate != compared.end()) {
      platforms.push_back({&*rate, &cost});
    }
  }
  return platforms;
}

// What the document calls the platform: conditions that may be any here, else its hardware.
std::string platform_name(const ComparedFigure& figure) {
  const std::map<std::string, std::string> conditions = parse_conditions(figure.figure->conditions);
  std::vector<std::string> parts;
  for (const auto& [name, value] : parse_conditions(figure.counterpart.assumed)) {
    if (const auto stated = conditions.find(name); value == "*" && stated != conditions.end()) {
      parts.push_back(stated->second);
    }
  }
  return parts.empty() ? figure.publication->hardware.value_or(figure.publication->source)
                       : join(parts, ", ");
}

std::vector<Column<Platform>> platform_columns(const ReportInput& input) {
  using enum Align;
  return {
      {{"source", "Source", "name of the dataset or file", kText, Shown::kDiffering},
       [](const Platform& row) { return row.rate->publication->source; }},
      {{"platform", "Platform", "as the document calls it", kText},
       [](const Platform& row) { return platform_name(*row.rate); }},
      {{"rate", "Throughput, published", "as printed"},
       [](const Platform& row) { return printed_text(*row.rate->figure); }},
      {{"rate_here", "Here", "measured [interval]"},
       [](const Platform& row) { return measured_text(row.rate->counterpart, *row.rate->figure); }},
      {{"rate_ratio", "Here over published (ratio)", "[interval of the measured]"},
       [](const Platform& row) { return ratio_text(row.rate->counterpart); }},
      {{"amount", "Cost of", "tokens or samples that the cost is of", kText},
       [](const Platform& row) { return amount_of(*row.cost->figure); }},
      {{"cost", "Cost, published", "as printed"},
       [](const Platform& row) { return row.cost->figure->printed; }},
      {{"cost_here", "Cost here", "at the declared price [interval]"},
       [](const Platform& row) { return measured_text(row.cost->counterpart, *row.cost->figure); }},
      {{"cost_ratio", "Cost here over published (ratio)", "below 1: cheaper here [interval]"},
       [](const Platform& row) { return ratio_text(row.cost->counterpart); }},
      {{"cell", "Cell", "the cell with the same conditions", kText},
       [&input](const Platform& row) {
         return short_name(input, input.cell(*row.rate->counterpart.cell_id));
       }},
  };
}

// Each definition that differs from ours, once.
View::List notes_of(const std::vector<ComparedFigure>& compared) {
  View::List notes;
  std::set<std::pair<std::string, std::string>> seen;
  for (const ComparedFigure& row : compared) {
    if (!row.counterpart.note.empty() &&
        seen.emplace(row.figure->quantity, row.counterpart.note).second) {
      View note;
      note.set_text("quantity", with_capital(in_words(row.figure->quantity)));
      note.set_text("note", row.counterpart.note);
      notes.push_back(std::move(note));
    }
  }
  return notes;
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

void fill_published(View& view, const ReportInput& input, const Figures& /*figures*/) {
  std::vector<Source> sources;
  std::vector<ComparedFigure> compared;
  std::vector<Uncompared> others;
  for (const PublicationRow& publication : input.publications) {
    const std::size_t before = compared.size();
    for (const PublishedFigureRow& figure : publication.figures) {
      const ComparedFigure row = {&publication, &figure, counterpart_of(input, figure)};
      if (row.counterpart.cell_id) {
        compared.push_back(row);
      } else {
        add_uncompared(others, row);
      }
    }
    sources.push_back({&publication, compared.size() - before});
  }
  // Quantities that were measured come first: they are what one looks for.
  std::stable_partition(
      others.begin(), others.end(), [](const Uncompared& one) { return one.is_measured_quantity; });
  view.set_list("published_sources", one_table(source_columns(), sources));
  view.set_list("published_platforms", one_table(platform_columns(input), platforms_of(compared)));
  view.set_list("published_compared", one_table(compared_columns(input), compared));
  view.set_list("published_notes", notes_of(compared));
  view.set_list("published_others", one_table(other_columns(), others));
}

}  // namespace

Section published_section() {
  return {table_tags("published_sources",
                     "imported datasets and files that this report shows",
                     heads_of(source_columns())) +
              table_tags("published_compared",
                         "published figures that this study measured too",
                         heads_of(compared_columns(empty_input()))) +
              table_tags("published_platforms",
                         "published rows with a throughput and a cost of tokens or samples, beside "
                         "those measured here",
                         heads_of(platform_columns(empty_input()))) +
              Tags{{"published_notes",
                    TagKind::kList,
                    "how our definition of a compared quantity differs"},
                   {"published_notes.quantity", TagKind::kText, "the quantity"},
                   {"published_notes.note", TagKind::kText, "the difference"}} +
              table_tags("published_others",
                         "published figures without a counterpart, grouped by the reason",
                         heads_of(other_columns())),
          fill_published};
}

}  // namespace scalestudy::report
