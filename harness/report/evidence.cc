// Finds the trials behind comparisons, thresholds and laws.
#include "harness/report/evidence.h"

#include <algorithm>
#include <set>

namespace scalestudy::report {

std::vector<std::int64_t> compared_trials(const ReportInput& input,
                                          const ComparisonRow& row,
                                          std::int64_t cell_id,
                                          std::int64_t other_id) {
  std::vector<std::int64_t> ids = input.used_trials(cell_id, false);
  const bool is_by_session = row.method == "log_ratio_delta_sessions";
  if (input.declared.order.design != OrderDesign::kBlocks && !is_by_session) {
    return ids;
  }
  // Of an order without blocks, compared by session, a session is one block.
  const auto block_of = [&](const TrialRow& trial) {
    return input.declared.order.design == OrderDesign::kBlocks ? session_block(trial)
                                                               : SessionBlock{trial.session_id, 0};
  };
  std::set<SessionBlock> blocks;
  const std::vector<std::int64_t> others = input.used_trials(other_id, false);
  for (const TrialRow& trial : input.trials) {
    if (std::binary_search(others.begin(), others.end(), trial.id)) {
      blocks.insert(block_of(trial));
    }
  }
  std::erase_if(ids, [&](std::int64_t id) {
    return std::none_of(input.trials.begin(), input.trials.end(), [&](const TrialRow& trial) {
      return trial.id == id && blocks.contains(block_of(trial));
    });
  });
  return ids;
}

std::vector<std::int64_t> group_trials(const ReportInput& input,
                                       const std::string& group_label,
                                       const std::string& along,
                                       bool with_baselines) {
  const std::string padded = " " + group_label + " ";
  std::set<std::string> hashes;
  for (const CellRow& cell : input.cells) {
    const bool belongs = std::all_of(
        cell.parameters.begin(), cell.parameters.end(), [&](const CellRow::Parameter& parameter) {
          return !parameter.varied || parameter.name == along ||
                 padded.find(" " + parameter.name + "=" + parameter.value + " ") !=
                     std::string::npos;
        });
    if (belongs && cell.role == "measured" && !cell.excluded_reason) {
      hashes.insert(cell.hash);
      hashes.insert(with_baselines ? cell.baseline.value_or(cell.hash) : cell.hash);
    }
  }
  std::vector<std::int64_t> ids;
  for (const CellRow& cell : input.cells) {
    if (hashes.contains(cell.hash)) {
      const std::vector<std::int64_t> used = input.used_trials(cell.id, false);
      ids.insert(ids.end(), used.begin(), used.end());
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace scalestudy::report
