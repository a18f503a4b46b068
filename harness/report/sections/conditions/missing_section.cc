// What a report of its kind could say and this study does not, and what would give it.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/parameters.h"
#include "harness/report/sections/sections.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

struct Gap {
  std::string what;
  std::string how;
};

bool has_estimate(const ReportInput& input, const std::string& metric) {
  return std::ranges::any_of(input.results.estimates, [&](const EstimateRow& row) {
    return row.metric == metric && row.value.has_value();
  });
}

bool has_comparison(const ReportInput& input, const std::string& quantity) {
  return std::ranges::any_of(input.results.comparisons, [&](const ComparisonRow& row) {
    return row.quantity == quantity && row.value.has_value();
  });
}

// What is declared needs no advice to declare it.
std::string declared_or(bool is_declared, const std::string& advice) {
  return is_declared ? "declared, but none of the trials that ended ok gives it" : advice;
}

bool has_role(const ReportInput& input, CellRole role) {
  return std::ranges::any_of(
      input.cells, [&](const CellRow& cell) { return cell.role == role && !cell.excluded_reason; });
}

// Cells of the study without a single number.
void add_unmeasured(const ReportInput& input, std::vector<Gap>& gaps) {
  std::vector<std::string> names;
  for (const Group& group : group_cells(input)) {
    for (const CellRow* cell : group.cells) {
      const EstimateRow* row = input.estimate(cell->id, names::kStepTime);
      if (row == nullptr || !row->value) {
        names.push_back(cell_name(input, *cell));
      }
    }
  }
  if (!names.empty()) {
    gaps.push_back({format_count(static_cast<std::int64_t>(names.size()), "cell") + " of the study",
                    "the store has no trial of them that ended ok: " + list_some(names)});
  }
}

// A law that was asked for, and was refused or fitted to too few points, has no section.
void add_law(const ReportInput& input, std::vector<Gap>& gaps) {
  const std::vector<LawRow>& laws = input.results.laws;
  const std::string what = "a scaling law";
  if (laws.empty()) {
    gaps.push_back(
        {what,
         declared_or(!input.declared.analysis.laws.empty(),
                     fmt::format("analysis.laws, with trials at {} device counts or more",
                                 kFewestLawLevels))});
    return;
  }
  const LawRow& longest = *std::ranges::max_element(laws, {}, &LawRow::levels);
  if (longest.levels >= kFewestLawLevels || input.is_full) {
    return;
  }
  std::set<std::pair<std::string, std::string>> refused;  // law and why
  std::vector<std::string> others;
  for (const LawRow& row : laws) {
    const bool is_refused = row.status == RowStatus::kNotApplicable;
    const std::string name = name_of_law(row.law);
    if (is_refused && !row.finding.empty()) {
      refused.emplace(name, row.finding);
    } else if (!is_refused && std::ranges::find(others, name) == others.end()) {
      others.push_back(name);
    }
  }
  for (const auto& [name, finding] : refused) {
    gaps.push_back({what + " (" + name + ")", finding});
  }
  if (!others.empty()) {
    gaps.push_back({what + " (" + join(others, ", ") + ")",
                    fmt::format("it needs trials at {} {} or more, with all else equal; this study "
                                "has them at {}",
                                kFewestLawLevels,
                                longest.law == Law::kAlphaBeta ? "message sizes" : "device counts",
                                longest.levels)});
  }
}

// What the training lacks: the size of a step, or that of a sample.
std::string untold_training(const ReportInput& input) {
  if (!has_estimate(input, names::kThroughput)) {
    return "no cell has a throughput; declare the parameter batch_global or batch_per_device";
  }
  return declared_or(input.declared.cost->train->tokens <= 0.0,
                     "the number of tokens per sample is unknown; declare the parameter "
                     "sequence_length, or a rule for the metric tokens_per_sample");
}

void add_costs(const ReportInput& input, std::vector<Gap>& gaps) {
  if (!input.declared.cost) {
    gaps.push_back({"money and energy", "declare cost: a price of a device or node for an hour"});
    return;
  }
  const Cost& cost = *input.declared.cost;
  if (!cost.train) {
    gaps.push_back({"time and cost of a whole training", "declare cost.train"});
  } else if (!has_estimate(input, "training_hours")) {
    gaps.push_back({"time and cost of the declared training", untold_training(input)});
  }
  if (!cost.energy) {
    gaps.push_back({"energy and carbon by declared power", "declare cost.energy"});
  } else if (cost.energy->kg_co2_per_kwh <= 0.0) {
    gaps.push_back({"carbon", "declare cost.energy.kg_co2_per_kwh of the grid"});
  }
  if (cost.investments.empty()) {
    gaps.push_back(
        {"what purchases bring", "declare cost.investments and the cells that have them"});
  }
  const std::string alone = cost.investments.size() > 1 ? ", and no other purchase besides," : "";
  for (const Investment& one : cost.investments) {
    if (!has_estimate(input, "gain_per_thousand:" + one.name)) {
      gaps.push_back({"what " + one.name + " brings",
                      "no cell that has it" + alone + " was compared with one that lacks it"});
    }
  }
}

// "; parameter save_every", or for a command "; extract checkpoint_save_time_s"; "" if it is given.
std::string to_measure(const ReportInput& input,
                       const std::string& metric,
                       const std::string& parameter,
                       const std::string& setting) {
  return gives_parameter(input, parameter)               ? ""
         : input.declared.workload == Workload::kCommand ? "; extract " + metric
                                                         : "; parameter " + setting;
}

// How often to save follows from measured saves and a declared rate: one of the two is there.
void add_save_intervals(const ReportInput& input, std::vector<Gap>& gaps) {
  const bool saves = has_estimate(input, names::kSaveTime);
  const bool is_declared = input.declared.analysis.failures.has_value();
  if (saves && !is_declared) {
    gaps.push_back({"how often to save, and what failures cost then",
                    "declare analysis.failures: a rate of failures and where it is from"});
  }
  if (is_declared && !saves && !has_estimate(input, "expected_overhead")) {
    gaps.push_back({"how often to save by the declared rate of failures",
                    "no trial has measured a save" +
                        to_measure(input, names::kSaveTime, names::kSaveEvery, "save_every")});
  } else if (is_declared && !has_estimate(input, "expected_overhead")) {
    gaps.push_back(
        {"cost of failures at the declared rate",
         has_estimate(input, names::kDowntime)
             ? "no cell with a failure has all the times that the formulas need"
             : "no trial has measured a restart" +
                   to_measure(input, names::kDowntime, "failure", "failure: kill_rank")});
  }
}

void add_preemptions(const ReportInput& input, std::vector<Gap>& gaps) {
  if (!input.declared.cost) {
    return;
  }
  const Cost& cost = *input.declared.cost;
  for (const Price* price : prices_of(cost)) {
    const bool is_declared = price->preemptions_per_device_hour > 0.0;
    if (is_declared &&
        !has_estimate(input, "preempted_training_cost" + price_suffix(cost, *price))) {
      gaps.push_back(
          {"cost of preemptions at the price " + price->name,
           !cost.train ? "declare cost.train"
           : has_estimate(input, names::kDowntime)
               ? "no cell with a failure has all the times that the formulas need"
           : input.declared.workload == Workload::kCommand
               ? fmt::format("no trial has measured a restart; extract {} and {}",
                             names::kDowntime,
                             names::kSaveTime)
               : "no trial has measured a restart; set failure: sigterm if your provider "
                 "gives notice, otherwise kill_rank"});
    }
  }
}

// Whether a report says the metric of a command somewhere, asked or not.
bool is_told(const ReportInput& input, const std::string& metric) {
  constexpr auto told = std::to_array<std::string_view>({names::kStepTime,
                                                         names::kWindowTime,
                                                         names::kForwardTime,
                                                         names::kBackwardTime,
                                                         names::kDataTime,
                                                         names::kOptimizerTime,
                                                         names::kOtherTime,
                                                         names::kExposed,
                                                         names::kHidden,
                                                         names::kCommunication,
                                                         names::kSaveTime,
                                                         names::kLoadTime,
                                                         names::kDowntime,
                                                         names::kPeakBytes,
                                                         "tokens_per_sample"});
  const AnalysisOptions& analysis = input.declared.analysis;
  const auto is_of = [&](const auto& row) { return row.metric == metric; };
  return is_fraction(metric) || std::ranges::find(told, metric) != told.end() ||
         std::ranges::any_of(analysis.metrics, is_of) ||
         std::ranges::any_of(analysis.time_to, is_of) ||
         std::ranges::any_of(input.results.estimates, [&](const EstimateRow& row) {
           return row.metric == metric && row.recomputed_verdict.has_value();
         });
}

// What the rules of a command read, and no table has.
void add_extracted(const ReportInput& input, std::vector<Gap>& gaps) {
  std::vector<std::string> metrics;
  for (const ExtractRule& rule : input.declared.extract) {
    if (has_estimate(input, rule.metric) && !is_told(input, rule.metric) &&
        std::ranges::find(metrics, rule.metric) == metrics.end()) {
      metrics.push_back(rule.metric);
    }
  }
  if (!metrics.empty()) {
    gaps.push_back({"tables of " + join(metrics, ", "),
                    "add to analysis.metrics; until then only results.csv has the values"});
  }
}

// Whether a break-even or a law could be asked for, or is: a single cell has no curve.
bool has_curves(const ReportInput& input) {
  const AnalysisOptions& analysis = input.declared.analysis;
  return !analysis.thresholds.empty() || !analysis.laws.empty() ||
         std::ranges::count_if(input.cells, [](const CellRow& cell) {
           return cell.role == CellRole::kMeasured && !cell.excluded_reason;
         }) > 1;
}

bool has_devices(const ReportInput& input) {
  return std::ranges::any_of(input.cells, [](const CellRow& cell) { return cell.devices > 1; });
}

std::vector<Gap> gaps_of(const ReportInput& input) {
  std::vector<Gap> gaps;
  add_unmeasured(input, gaps);
  add_extracted(input, gaps);
  const AnalysisOptions& analysis = input.declared.analysis;
  const bool is_train = input.declared.workload == Workload::kTrain;
  if (is_train && !has_comparison(input, names::kOverhead)) {
    gaps.push_back({"communication's share of a step",
                    has_devices(input) && !can_run_without_communication(input)
                        ? "nothing, because pipeline stages cannot run without it"
                        : declared_or(has_role(input, CellRole::kNoop),
                                      "controls: [noop], with several devices")});
  }
  if (input.declared.workload == Workload::kCommand && has_devices(input) &&
      !has_estimate(input, "exposed_communication_share")) {
    gaps.push_back({"communication's share of a step",
                    fmt::format("extract {}, if the program prints how long a step waits for "
                                "communication",
                                names::kExposed)});
  }
  if (is_train && !has_estimate(input, names::kUtilization)) {
    gaps.push_back({"use of the device's peak (MFU)",
                    declared_or(gives_parameter(input, "device_peak_flops"),
                                "declare the parameter device_peak_flops")});
  }
  if (has_curves(input) && input.results.thresholds.empty()) {
    gaps.push_back({"a break-even",
                    declared_or(!analysis.thresholds.empty(),
                                "analysis.thresholds along an axis, or along parameter_count")});
  }
  if (has_curves(input)) {
    add_law(input, gaps);
  }
  if (is_train && input.results.projections.empty()) {
    gaps.push_back({"a projection to more devices",
                    declared_or(analysis.projection.has_value(),
                                "analysis.projection: {to: [...]}, with four numbers of devices "
                                "or more")});
  }
  add_costs(input, gaps);
  if (input.publications.empty() && !is_emulated(input)) {
    gaps.push_back({"published results beside the measured ones",
                    "scalestudy import DATASET --study " + input.study.name});
  }
  if (is_train && !has_estimate(input, names::kAccuracy)) {
    gaps.push_back({"accuracy",
                    declared_or(gives_parameter(input, names::kHeldOutSamples),
                                "declare train_samples and held_out_samples; it is that of "
                                "synthetic samples, whose best accuracy is known")});
  }
  if (is_train && !has_estimate(input, names::kDowntime)) {
    const bool saves = has_estimate(input, "checkpoint_save_bytes_per_s");
    gaps.push_back(
        {std::string(saves ? "" : "checkpoints, and ") + "recovery from failures and preemption",
         declared_or(gives_parameter(input, names::kSaveEvery) && gives_parameter(input, "failure"),
                     "parameters save_every and failure; a study of workload command can time "
                     "those of your own program")});
  }
  add_save_intervals(input, gaps);
  add_preemptions(input, gaps);
  return gaps;
}

void fill_missing(View& view, const ReportInput& input, const Figures& /*figures*/) {
  View::List rows;
  for (const Gap& gap : gaps_of(input)) {
    rows.emplace_back();
    rows.back().set_text("what", gap.what);
    rows.back().set_text("how", gap.how);
  }
  view.set_list("missing", std::move(rows));
}

}  // namespace

Section missing_section() {
  using enum TagKind;
  return {{{"missing", kList, "what the study does not say that reports of other studies do"},
           {"missing.what", kText, "carbon"},
           {"missing.how", kText, "what would give it, or why nothing does"}},
          fill_missing};
}

}  // namespace scalestudy::report
