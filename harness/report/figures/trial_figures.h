// The figure of every trial as a dot: how trials spread, and whether they drift over the blocks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// A point for each trial that counts of a measured cell: its block, from 1, and its step time over
// the mean of its cell.
struct TrialPoints {
  std::vector<std::pair<std::int64_t, double>> plain;
  std::vector<std::pair<std::int64_t, double>> flagged;  // by the study's rule for outliers
};

// The points of all trials of the group.
TrialPoints trial_points(const ReportInput& input, const Group& group);

// "Every trial"; of a search "Every trial on fresh blocks", since those of its race do not count.
std::string every_trial(const ReportInput& input);

// Whether there are so many points that dots would lie on one another: the figure then leaves out
// those that others cover.
bool has_covered_dots(const TrialPoints& points);

// The definitions of the one figure, for the script trials.gp; none below two blocks.
std::vector<std::string> trial_definitions(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
