// Targets of a study, and their verdicts over cells and results.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/compare/targets.h"
#include "tests/analysis/by_hand.h"

namespace scalestudy::test {

inline Target at_least(const std::string& metric, double level) {
  return {.name = "wish",
          .metric = metric,
          .where = {{"devices", std::int64_t{2}}},
          .at_least = level,
          .at_most = std::nullopt};
}

inline Target at_most(const std::string& metric, double level) {
  Target target = at_least(metric, level);
  target.at_most = target.at_least;
  target.at_least.reset();
  return target;
}

inline std::vector<TargetResultRow> judge_target(const Target& target,
                                                 const Results& results,
                                                 std::vector<CellObservation> cells) {
  Study study;
  study.analysis.targets = {target};
  return judge_targets(make_observation(std::move(cells), Scaling::kStrong), study, results);
}

}  // namespace scalestudy::test
