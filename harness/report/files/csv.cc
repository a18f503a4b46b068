// Rows of results and trials as CSV.
#include "harness/report/files/csv.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "harness/report/files/csv_columns.h"
#include "harness/report/files/published_csv.h"
#include "harness/store/rows/launch_order.h"
#include "harness/store/tables/columns.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/time_to.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

bool is_phase(const EstimateRow& row) {
  return row.metric.ends_with("_time_s") && row.metric != names::kStepTime;
}

std::string estimates(const ReportInput& input, bool phases) {
  using Row = EstimateRow;
  const auto cell = [&](const Row& row) { return &input.cell(row.cell_id); };
  std::map<std::string, std::string> names{{"cell_id", ""}};
  if (std::ranges::none_of(input.results.estimates,
                           [](const Row& row) { return row.recomputed_verdict.has_value(); })) {
    names.insert({{"recomputed_verdict", ""},
                  {"recomputed_lo", ""},
                  {"recomputed_hi", ""},
                  {"recomputed_from", ""}});
  }
  return csv_table<Row>(columns_of<Row>(cell, cell_columns(7)) + stored_columns<Row>(names),
                        input.results.estimates,
                        [phases](const Row& row) { return is_phase(row) == phases; });
}

std::string comparisons(const ReportInput& input, const std::set<std::string>& quantities) {
  using Row = ComparisonRow;
  const auto cell = [&](const Row& row) { return &input.cell(row.cell_id); };
  const CsvColumns<Row> baseline = {
      {"baseline_cell", [&](const Row& row) { return input.cell(row.baseline_cell_id).hash; }},
      {"baseline", [&](const Row& row) { return input.cell(row.baseline_cell_id).label; }}};
  return csv_table<Row>(
      columns_of<Row>(cell, cell_columns(7)) + baseline +
          stored_columns<Row>(
              {{"cell_id", ""}, {"baseline_cell_id", ""}, {"finding", ""}, {"doubted_cells", ""}}),
      input.results.comparisons,
      [&](const Row& row) { return quantities.contains(row.quantity); });
}

std::string volumes(const ReportInput& input) {
  using Row = VolumeRow;
  const auto cell = [&](const Row& row) { return &input.cell(row.cell_id); };
  return csv_table<Row>(
      columns_of<Row>(cell, cell_columns(4)) + stored_columns<Row>({{"cell_id", ""}}),
      input.results.volumes);
}

// What a target on no relative quantity is judged by; nullptr where there is none.
const EstimateRow* judged_estimate(const ReportInput& input, const TargetResultRow& row) {
  const MetricRequest* request = find_request(input.declared.analysis, row.metric);
  const bool is_median = request != nullptr && request->by == TrialStatistic::kP50;
  return row.cell_id ? input.estimate(
                           *row.cell_id, row.metric, is_median ? Statistic::kP50 : Statistic::kMean)
                     : nullptr;
}

std::string targets(const ReportInput& input) {
  using Row = TargetResultRow;
  const auto cell = [&](const Row& row) {
    return row.cell_id ? &input.cell(*row.cell_id) : nullptr;
  };
  const auto comparison = [&](const Row& row) {
    const bool is_compared = row.cell_id && is_relative(row.metric);
    return is_compared ? input.comparison(*row.cell_id, row.metric) : nullptr;
  };
  const auto trials = [&](const Row& row) {
    const ComparisonRow* compared = comparison(row);
    const EstimateRow* estimate = judged_estimate(input, row);
    return csv_text(compared != nullptr   ? compared->trials
                    : estimate != nullptr ? estimate->trials
                                          : TrialIds());
  };
  const auto baseline_trials = [&](const Row& row) {
    const ComparisonRow* compared = comparison(row);
    return compared != nullptr ? csv_text(compared->baseline_trials) : "";
  };
  return csv_table<Row>(
      with_columns_after<Row>(stored_columns<Row>({{"cell_id", ""}, {"name", "target"}}),
                              "metric",
                              columns_of<Row>(cell, cell_columns(2))) +
          CsvColumns<Row>{{"trials", trials}, {"baseline_trials", baseline_trials}},
      input.results.targets);
}

// The number that was declared, as in the view `trials`.
std::string position_text(std::int64_t position) {
  return position < kFirstFraction ? csv_text(position)
                                   : csv_text(static_cast<double>(position - kFractionZero) / 1e6);
}

// What analysis and screening say of trials, by id.
struct TrialFacts {
  std::set<std::int64_t> last;
  std::set<std::int64_t> flagged;
  std::map<std::int64_t, std::int64_t> flagged_steps;
};

TrialFacts facts_of(const ReportInput& input) {
  TrialFacts facts;
  for (const TrialRow* trial : input.last_attempts()) {
    facts.last.insert(trial->id);
  }
  for (const FlagRow& flag : input.results.flags) {
    if (flag.level == FlagLevel::kTrial) {
      facts.flagged.insert(flag.trial_id);
    } else {
      facts.flagged_steps[flag.trial_id] += flag.count;
    }
  }
  return facts;
}

std::string trials(const ReportInput& input) {
  using Row = TrialRow;
  TrialFacts facts = facts_of(input);
  const auto cell = [&](const Row& row) { return &input.cell(row.cell_id); };
  const auto time = [&](const Row& row) {
    const auto found = input.step_times.find(row.id);
    return found == input.step_times.end() ? nullptr : &found->second;
  };
  const CsvColumns<Row> head = {{"trial", [](const Row& row) { return csv_text(row.id); }}};
  const CsvColumns<Row> counts = {
      {"counts", [&](const Row& row) {
         return csv_text(row.state == TrialState::kOk && row.part != SearchPart::kRace &&
                         facts.last.contains(row.id) && !input.ran_in_excluded_cell(row));
       }}};
  const CsvColumns<Row> tail = {
      {"steps",
       [&](const Row& row) { return time(row) != nullptr ? csv_text(time(row)->steps) : ""; }},
      {"step_time_s_mean",
       [&](const Row& row) { return time(row) != nullptr ? csv_text(time(row)->mean_s) : ""; }},
      {"flagged_trial", [&](const Row& row) { return csv_text(facts.flagged.contains(row.id)); }},
      {"flagged_steps", [&](const Row& row) { return csv_text(facts.flagged_steps[row.id]); }}};
  std::map<std::string, std::string> names{{"study_id", ""},
                                           {"cell_id", ""},
                                           {"session_id", "session"},
                                           {"plan", ""},
                                           {"deaths", ""},
                                           {"disturbance", ""},
                                           {"hosts", ""},
                                           {"part", ""},
                                           {"skip_reason", ""},
                                           {"rules_hash", ""},
                                           {"steps_share", ""},
                                           {"arrival_step_s", ""},
                                           {"has_block", ""},
                                           {"has_order", ""},
                                           {"source_hash", ""}};
  if (!is_imported(input)) {
    names.insert({{"provenance", ""}, {"source", ""}});
  }
  auto own = stored_columns<Row>(names);
  for (auto& [name, text] : own) {
    if (name == "block") {
      text = [](const Row& row) { return row.has_block ? csv_text(row.block) : ""; };
    } else if (name == "position") {
      text = [](const Row& row) { return row.has_order ? position_text(row.position) : ""; };
    }
  }
  return csv_table<Row>(head + columns_of<Row>(cell, cell_columns(3)) +
                            with_columns_after<Row>(own, "attempt", counts) + tail,
                        input.trials);
}

}  // namespace

std::map<std::string, std::string> make_csv_files(const ReportInput& input) {
  std::set<std::string> speeds = {names::kSpeedup,
                                  names::kEfficiency,
                                  names::kFastest,
                                  std::string(kCheapest),
                                  names::kAgainstWinner,
                                  "main_effect",
                                  "interaction"};
  if (input.declared.cost) {
    for (const Price& price : input.declared.cost->others) {
      speeds.insert(cheapest_at(price));
    }
  }
  std::map<std::string, std::string> files{
      {"results.csv", estimates(input, false)},
      {"phases.csv", estimates(input, true)},
      {"speedups.csv", comparisons(input, speeds)},
      {"overhead.csv",
       comparisons(input,
                   {"communication_overhead", "synchronization_overhead", "transfer_overhead"})},
      {"controls.csv", comparisons(input, {"aa", names::kOverlapGain, "device_match"})},
      {"thresholds.csv",
       csv_table(stored_columns<ThresholdRow>({{"cells", ""}}), input.results.thresholds)},
      {"laws.csv",
       csv_table(stored_columns<LawRow>({{"unit", ""}, {"cells", ""}}), input.results.laws)},
      {"targets.csv", targets(input)},
      {"trials.csv", trials(input)}};
  if (!input.results.search_settings.empty()) {
    const auto cell = [&](const SearchSettingRow& row) { return &input.cell(row.cell_id); };
    CsvColumns<CellRow> of_cell = cell_columns(7);  // `role` is that of the setting
    std::erase_if(of_cell, [](const CsvColumn<CellRow>& column) { return column.name == "role"; });
    files["search.csv"] = csv_table(columns_of<SearchSettingRow>(cell, of_cell) +
                                        stored_columns<SearchSettingRow>({{"cell_id", ""}}),
                                    input.results.search_settings);
  }
  if (!input.publications.empty()) {
    files["published.csv"] = published_csv(input);
  }
  if (!input.results.law_choices.empty()) {
    files["law_choices.csv"] = csv_table(stored_columns<LawChoiceRow>(), input.results.law_choices);
  }
  if (!input.results.volumes.empty()) {
    files["volumes.csv"] = volumes(input);
  }
  if (!input.results.projections.empty()) {
    files["projections.csv"] = csv_table(stored_columns<ProjectionRow>({{"value", "step_time_s"},
                                                                        {"lo", "step_time_s_lo"},
                                                                        {"hi", "step_time_s_hi"},
                                                                        {"measured", "measured_s"},
                                                                        {"cell_id", ""}}),
                                         input.results.projections);
  }
  std::set<std::string> requested;
  for (const MetricRequest& request : input.declared.analysis.metrics) {
    requested.insert(request.metric);
  }
  for (const TimeToRequest& request : input.declared.analysis.time_to) {
    requested.insert(time_to_metric(request));
  }
  if (!requested.empty()) {
    files["metrics.csv"] = comparisons(input, requested);
  }
  return files;
}

}  // namespace scalestudy::report
