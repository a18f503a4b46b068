// Projections behind their gate, scenarios, and first principles beside what was measured. None of
// it is among the measured tables.
#include <algorithm>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/declared_prices.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

constexpr const char* kProjectedMark = "◇";
constexpr const char* kScenarioMark = "△";

std::string percent(const std::optional<double>& share) {
  return share ? format_decimals(100.0 * *share, *share < 0.01 ? 2 : 1) + " %" : "–";
}

std::string plain(const std::optional<double>& value, double factor = 1.0) {
  return value ? format_plain(*value * factor) : "–";
}

std::string rate_text(const std::optional<double>& value) {
  return value ? format_number(*value) : "–";
}

bool is_scenario(const ProjectionRow& row) {
  return row.provenance == Provenance::kScenario;
}

// Scenarios, or the others: projections of what was measured, or emulated.
std::vector<ProjectionRow> rows_of(const ReportInput& input, bool are_scenarios) {
  std::vector<ProjectionRow> rows = input.results.projections;
  std::erase_if(rows, [&](const ProjectionRow& row) { return is_scenario(row) != are_scenarios; });
  return rows;
}

Scale scale_of(const std::vector<ProjectionRow>& rows) {
  double largest = 0.0;
  for (const ProjectionRow& row : rows) {
    largest = std::max({largest, row.value.value_or(0.0), row.measured.value_or(0.0)});
  }
  return scale_for("s", largest);
}

// What a million samples cost at the first price, without declared lines; "" of a price per node,
// as nobody says on how many nodes.
std::string cost_text(const ReportInput& input, const ProjectionRow& row) {
  const std::optional<Cost>& cost = input.declared.cost;
  if (!cost || cost->price.per_node_hour > 0.0 || !row.value || !row.throughput) {
    return "";
  }
  const double an_hour = cost->price.per_hour(row.devices, 1);
  const double million_steps = 1e6 / (*row.throughput * *row.value);
  return format_interval({.value = row.value, .lo = row.lo, .hi = row.hi},
                         {.factor = an_hour / 3600.0 * million_steps});
}

std::vector<Column<ProjectionRow>> projection_columns(const ReportInput& input, const Scale& time) {
  using enum Align;
  using Row = ProjectionRow;
  return {
      {{"devices", "Devices", "number of devices, by the mark of a projection", kText},
       [](const Row& row) { return fmt::format("{} {}", kProjectedMark, row.devices); }},
      {{"group", "Among", "the other varied parameters", kText, Shown::kPresent},
       [&input](const Row& row) { return curve_label(input, row.group_label); }},
      {{"status", "Status", "ok, refused, extrapolated or unsupported", kText},
       [](const Row& row) { return to_word(row.status); }},
      {{"step_time", fmt::format("Projected step ({})", time.unit), "time of a step [interval]"},
       [time](const Row& row) {
         return format_interval({.value = row.value, .lo = row.lo, .hi = row.hi},
                                {.factor = time.factor});
       }},
      {{"throughput", "Samples/s", "projected throughput", kNumber, Shown::kPresent},
       [](const Row& row) { return row.throughput ? rate_text(row.throughput) : ""; }},
      {{"cost",
        fmt::format("Cost ({} per million samples)", currency_of(input)),
        "of machines at the first price [interval]",
        kNumber,
        Shown::kPresent},
       [&input](const Row& row) { return cost_text(input, row); }},
      {{"model", "Model", "law of the projection", kText},
       [](const Row& row) { return row.method.empty() ? "–" : in_words(row.method); }},
      {{"factor", "Beyond", "devices over the most that were measured"},
       [](const Row& row) { return row.factor ? format_plain(*row.factor) + "x" : "–"; }},
      {{"held_out_error", "Error of the check", "mean error at the counts held out"},
       [](const Row& row) { return percent(row.held_out_error); }},
      {{"rival_error", "Best rival", "least error of perfect scaling, Amdahl or Gustafson, USL"},
       [](const Row& row) { return percent(row.rival_error); }},
      {{"made_at", "From trials up to", "begin of the session it was made from", kText},
       [](const Row& row) { return row.made_at.empty() ? "–" : row.made_at; }},
      {{"n", "Trials", "trials that it rests on"},
       [](const Row& row) { return std::to_string(row.n); }},
      {{"measured",
        fmt::format("{} since ({})", measured_heading(input), time.unit),
        "mean time of a step of the cell that was measured later",
        kNumber,
        Shown::kPresent},
       [time](const Row& row) { return row.measured ? plain(row.measured, time.factor) : ""; }},
      {{"error", "Off by", "projected over measured, less 1", kNumber, Shown::kPresent},
       [](const Row& row) {
         return row.error ? fmt::format("{:+.1f} %", 100.0 * *row.error) : "";
       }},
      {{"finding", "", "what the check said", kText, Shown::kNever},
       [](const Row& row) { return row.finding; }},
  };
}

std::vector<Column<ProjectionRow>> scenario_columns(const Scale& time) {
  using enum Align;
  using Row = ProjectionRow;
  return {
      {{"name", "Scenario", "its name", kText}, [](const Row& row) { return row.name; }},
      {{"devices", "Devices", "number of devices, by the mark of a scenario", kText},
       [](const Row& row) { return fmt::format("{} {}", kScenarioMark, row.devices); }},
      {{"step_time", fmt::format("Worked out step ({})", time.unit), "time of a step"},
       [time](const Row& row) { return plain(row.value, time.factor); }},
      {{"throughput", "Samples/s", "throughput"},
       [](const Row& row) { return rate_text(row.throughput); }},
      {{"model", "Model", "communication added, or hidden behind computation", kText},
       [](const Row& row) { return in_words(row.method); }},
  };
}

// "26.26 MiB", "1.243 ms": four digits, so that the ratio beside two amounts follows from them.
std::string amount_text(const std::optional<double>& value, const std::string& unit) {
  return value ? format_amount({.value = value, .lo = {}, .hi = {}}, unit) : "";
}

std::vector<Column<VolumeRow>> volume_columns(const ReportInput& input) {
  using enum Align;
  using Row = VolumeRow;
  return {
      {{"cell", "Cell", "the cell", kText},
       [&input](const Row& row) { return cell_name(input, input.cell(row.cell_id)); }},
      {{"quantity",
        "Quantity",
        "traffic_bytes, communication_time_s ... (SCHEMA.md)",
        kText,
        Shown::kColumns},
       [](const Row& row) { return row.quantity; }},
      {{"quantity_words", "Quantity", "the same in words", kText, Shown::kShort},
       [](const Row& row) { return in_words(metric_words(row.quantity)); }},
      {{"unit", "Unit", "bytes or s", kText, Shown::kColumns},
       [](const Row& row) { return row.unit; }},
      {{"calculated", "By first principles", "what it should be", kNumber, Shown::kColumns},
       [](const Row& row) { return rate_text(row.calculated); }},
      {{"measured",
        measured_heading(input),
        "what the workload says, or the mean over trials",
        kNumber,
        Shown::kColumns},
       [](const Row& row) { return rate_text(row.measured); }},
      {{"calculated_amount",
        "By first principles",
        "what it should be, with its unit: 26.26 MiB",
        kNumber,
        Shown::kShort},
       [](const Row& row) { return amount_text(row.calculated, row.unit); }},
      {{"measured_amount", measured_heading(input), "likewise", kNumber, Shown::kShort},
       [](const Row& row) { return amount_text(row.measured, row.unit); }},
      {{"ratio", measured_heading(input) + "/calculated", "the one over the other"},
       [](const Row& row) { return plain(row.ratio); }},
      {{"formula", "By", "the formula", kText}, [](const Row& row) { return row.formula; }},
  };
}

// Sentences that differ only in the rows they are about become one.
View::List findings(const ReportInput& input, const std::vector<ProjectionRow>& rows) {
  using Texts = std::vector<std::string>;
  const auto place = [](auto& list, const auto& key) -> Texts& {
    const auto found = std::ranges::find(list, key, [](const auto& entry) { return entry.first; });
    return found == list.end() ? list.emplace_back(key, Texts()).second : found->second;
  };
  std::vector<std::pair<std::pair<std::string, std::string>, Texts>> counts;  // by group and text
  for (const ProjectionRow& row : rows) {
    const std::string text = is_scenario(row) || row.status == RowStatus::kOk
                                 ? row.finding
                                 : fmt::format("{}, because {}", to_word(row.status), row.finding);
    place(counts, std::pair(row.group_label, text)).push_back(std::to_string(row.devices));
  }
  std::vector<std::pair<std::pair<std::string, std::string>, Texts>> groups;  // by counts and text
  for (const auto& [key, devices] : counts) {
    place(groups, std::pair(join_words(devices), key.second))
        .push_back(curve_label(input, key.first));
  }
  View::List list;
  for (const auto& [key, labels] : groups) {
    const std::string among =
        labels.size() == 1 ? labels.front() : format_count(std::ssize(labels), "curve");
    list.emplace_back();
    list.back().set_text(
        "finding",
        fmt::format(
            "{} devices{}: {}", key.first, among.empty() ? "" : " (" + among + ")", key.second));
  }
  return list;
}

void fill_projection(View& view, const ReportInput& input, const Figures& figures) {
  const auto projections = rows_of(input, false);
  const auto scenarios = rows_of(input, true);
  view.set_list("projections",
                one_table(projection_columns(input, scale_of(projections)), projections));
  view.set_list("projection_findings", findings(input, projections));
  view.set_list("projection_figures", figure_list(figures, "projection"));
  view.set_list("scenarios", one_table(scenario_columns(scale_of(scenarios)), scenarios));
  view.set_list("scenario_findings", findings(input, scenarios));
  std::vector<VolumeRow> volumes = input.results.volumes;
  std::erase_if(volumes, [](const VolumeRow& row) { return row.quantity == kLinkRate; });
  view.set_list("volumes", one_table(volume_columns(input), volumes));
}

}  // namespace

Section projection_section() {
  const auto sentences = [](const std::string& name, const std::string& meaning) {
    return Tags{{name, TagKind::kList, meaning},
                {name + ".finding", TagKind::kText, "a sentence, with the numbers of devices"}};
  };
  return {table_tags("projections",
                     "projected times of a step, or why there are none; never measured",
                     heads_of(projection_columns(empty_input(), {}))) +
              sentences("projection_findings", "what the check of the projections said") +
              Tags{{"projection_figures",
                    TagKind::kList,
                    "measured and projected times against devices"},
                   {"projection_figures.path", TagKind::kText, "path"},
                   {"projection_figures.alt", TagKind::kText, "what it shows, in words"}} +
              table_tags("scenarios",
                         "times worked out from declared constants; never measured",
                         heads_of(scenario_columns({}))) +
              sentences("scenario_findings", "all constants of the scenarios") +
              table_tags("volumes",
                         "bytes and times by first principles beside the measured ones",
                         heads_of(volume_columns(empty_input()))),
          fill_projection};
}

}  // namespace scalestudy::report
