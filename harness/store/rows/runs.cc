#include "harness/store/rows/runs.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace scalestudy {

std::vector<TrialRow> each_run_once(std::vector<TrialRow> trials) {
  const auto run_of = [](const TrialRow& trial) {
    return std::tuple(
        trial.cell_id, trial.plan, trial.block, trial.session_id, trial.started_at, trial.wall_s);
  };
  std::set<decltype(run_of(TrialRow()))> known;
  std::ranges::reverse(trials);
  std::erase_if(trials, [&](const TrialRow& trial) {
    return trial.wall_s && !known.insert(run_of(trial)).second;
  });
  std::ranges::reverse(trials);
  return trials;
}

}  // namespace scalestudy
