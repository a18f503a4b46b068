// The trials of a curve as the points that laws are fitted to.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "harness/analysis/cells/groups.h"
#include "stats/robust_error.h"
#include "stats/step_law.h"

namespace scalestudy {

// All trials of one curve: devices (alpha_beta: message bytes) and step times, and throughputs if
// the batch is known. From kSessionsAsUnit sessions on that all cells share, a value is the mean of
// a cell in one of them, and sessions are the blocks.
struct LawPoints {
  std::vector<double> x;
  // Step times without the effect of their blocks. On the log scale a trial t of a cell with mean m
  // is ln m + t/m - 1, so that a cell's mean is that of its times, as in every ratio of two cells.
  std::vector<double> step_time_s;
  std::vector<double> throughput;
  std::set<std::int64_t> levels;
  std::size_t df_taken = 0;  // degrees of freedom used by blocks; all if cells share no blocks
  std::vector<std::int64_t> cells;
  std::vector<std::int64_t> blocks;
  TrialIds trials;
  bool is_blocked = false;

  stats::TrialGroups groups() const {
    return {.cells = cells,
            .blocks = is_blocked ? std::span(blocks) : std::span<const std::int64_t>()};
  }

  // Whether chains of common blocks connect all cells, so that laws can be fitted.
  bool shares_blocks() const { return x.empty() || df_taken < x.size(); }

  stats::StepPoints step_points(Scaling scaling) const {
    return {.n = x, .t = step_time_s, .is_weak = scaling == Scaling::kWeak, .communication_s = {}};
  }
};

// The cells of a curve over devices to which laws are fitted: each cell's baseline included,
// oversubscribed cells left out.
std::vector<const CellObservation*> law_cells(const Curve& curve,
                                              const StudyObservation& observation);

// The trials of law_cells() as points.
LawPoints points_of(const Curve& curve, const StudyObservation& observation, const Study& study);

// The trials of every measured cell of a curve, by the true size of its message, or by its value of
// the axis if the program does not report one; baselines are cells like others here.
LawPoints message_points(const Curve& curve, const Study& study);

// The law over devices as stats knows it; absent for alpha_beta, a law over message sizes.
std::optional<stats::StepLaw> step_law_of(Law law);

std::vector<double> logs(const std::vector<double>& values);

}  // namespace scalestudy
