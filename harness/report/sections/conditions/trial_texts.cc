#include "harness/report/sections/conditions/trial_texts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/study_sentences.h"
#include "harness/store/rows/imported.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// "5 of each cell" as the study file asks for, with what n of the tables counts instead. That is
// more in merged stores, of values that a run added, and if a study asked for more before. Cells
// have fewer that were given up, or that a search only probed.
std::string planned_sentence(const ReportInput& input) {
  const Trials& asked = input.declared.trials;
  std::set<std::int64_t> planned;
  for (const CellRow& cell : input.cells) {
    const EstimateRow* row = input.estimate(cell.id, names::kStepTime);
    if (cell.role == CellRole::kMeasured && !cell.excluded_reason && row != nullptr) {
      planned.insert(row->n_planned);
    }
  }
  if (planned.empty()) {
    return trials_sentence(asked);
  }
  const std::string counts = (planned.size() > 1 ? std::to_string(*planned.begin()) + " to " : "") +
                             std::to_string(*planned.rbegin());
  const bool is_fixed = !asked.until && !asked.is_for_verdicts;
  const bool has_fewer = is_fixed && *planned.begin() < asked.count;
  if (!has_fewer && *planned.rbegin() <= asked.count) {
    return trials_sentence(asked);
  }
  std::set<std::string> plans;
  for (const TrialRow& trial : input.trials) {
    plans.insert(trial.plan);
  }
  const std::string merged =
      plans.size() > 1 ? fmt::format("; {} results folders were merged", plans.size()) : "";
  return trials_sentence(asked) + merged +
         (has_fewer        ? fmt::format("; {} in the tables", counts)
          : merged.empty() ? fmt::format("; {} of each cell were planned in all", counts)
                           : fmt::format(", with {} of each cell in all", counts));
}

// Trials that ran and are in no table. Follows planned_sentence(); "" if there are none.
std::string pruned_sentence(const ReportInput& input) {
  const std::vector<const TrialRow*> last = input.last_attempts();
  const auto pruned = std::ranges::count(last, SkipReason::kPruned, &TrialRow::skip_reason);
  return pruned == 0
             ? ""
             : fmt::format("; prune removed {} of earlier sessions", format_count(pruned, "trial"));
}

// "4 of each cell", "3 to 5 of each cell": as many as there are logs.
std::string imported_sentence(const ReportInput& input) {
  std::map<std::int64_t, std::size_t> counts;
  for (const CellRow& cell : input.cells) {
    if (!cell.excluded_reason) {
      counts[cell.id] = 0;
    }
  }
  for (const TrialRow* trial : input.last_attempts()) {
    if (!input.ran_in_excluded_cell(*trial)) {
      ++counts[trial->cell_id];
    }
  }
  std::set<std::size_t> all;
  for (const auto& [cell, count] : counts) {
    all.insert(count);
  }
  return fmt::format("{}{} of each cell",
                     all.size() > 1 ? fmt::format("{} to ", *all.begin()) : "",
                     all.empty() ? 0 : *all.rbegin());
}

}  // namespace

std::string trial_count_text(const ReportInput& input) {
  const Study& study = input.declared;
  return study.search         ? search_sentence(*study.search)
         : is_imported(input) ? imported_sentence(input)
                              : planned_sentence(input) + pruned_sentence(input);
}

std::string order_text(const ReportInput& input) {
  const std::optional<Imported> imported = imported_of(input.trials);
  if (!imported) {
    return order_sentence(input.declared.order);
  }
  if (!imported->has_blocks && !imported->has_order) {
    return "not known";
  }
  return fmt::format("as declared when the logs were imported{}",
                     !imported->has_blocks ? ", without blocks"
                     : imported->has_order ? ", in blocks"
                                           : ", in blocks; not known within a block");
}

std::string measured_steps(const ReportInput& input) {
  std::set<std::int64_t> counts;
  for (const TrialRow* trial : input.last_attempts()) {
    const auto time = input.step_times.find(trial->id);
    if (trial->state == TrialState::kOk && time != input.step_times.end()) {
      counts.insert(time->second.steps);
    }
  }
  if (counts.empty()) {
    return std::to_string(input.declared.steps.measured);
  }
  return (counts.size() > 1 ? std::to_string(*counts.begin()) + " to " : "") +
         std::to_string(*counts.rbegin());
}

std::string step_time_definition(const ReportInput& input) {
  using enum StepTimeDefinition;
  std::set<StepTimeDefinition> named;
  for (const EstimateRow& row : input.results.estimates) {
    if (row.metric == names::kStepTime && row.statistic == Statistic::kMean && row.definition) {
      named.insert(*row.definition);
    }
  }
  const std::string version =
      input.results.analysis_version
          ? fmt::format(" (Analysis version {}.)", *input.results.analysis_version)
          : "";
  const std::string steps = times_whole_commands(input.declared.extract)
                                ? "the time of the whole command"
                            : input.declared.workload == Workload::kCommand
                                ? "the mean of the measured step times that the program gives"
                                : "the mean of the measured step times, each of its slowest rank";
  if (named == std::set{kWindow}) {
    return "the time of the measured window, divided by its steps. The window is that of the rank "
           "that took longest, from the start of its first measured step to the end of its last. "
           "Throughput, speedup, efficiency, overhead, cost and MFU follow from it; its phases are "
           "those of that rank. p50, p95 and p99, flagged steps and skew are of single steps, each "
           "on its slowest rank; they are longer if ranks are slow alternately." +
           version;
  }
  if (named.contains(kWindow) || named.contains(kMixed)) {
    return "the time of the measured window, divided by its steps, in some trials, and " + steps +
           ", in others: see the threats to validity." + version;
  }
  return steps + "; throughput and all ratios follow from it." + version;
}

}  // namespace scalestudy::report
