#include "harness/store/rows/runs.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace scalestudy {

std::vector<TrialRow> each_run_once(std::vector<TrialRow> trials) {
  const auto run_of = [](const TrialRow& trial) {
    return std::tuple(trial.cell_id,
                      trial.plan,
                      trial.block,
                      trial.session_id,
                      trial.started_at,
                      trial.wall_s,
                      trial.source_hash);
  };
  std::set<decltype(run_of(TrialRow()))> known;
  std::ranges::reverse(trials);
  std::erase_if(trials, [&](const TrialRow& trial) {
    // One that could not be started took no time, and has no logs to be read again.
    const bool has_logs = trial.wall_s.value_or(0.0) > 0.0 || trial.source_hash;
    return has_logs && !known.insert(run_of(trial)).second;
  });
  std::ranges::reverse(trials);
  return trials;
}

}  // namespace scalestudy
