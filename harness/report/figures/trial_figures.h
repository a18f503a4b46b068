// Every trial as a dot: how they spread, and whether they drift over the blocks of the study.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// Block, from 1, and step time over the mean of its cell; of measured cells, trials that count.
struct TrialPoints {
  std::vector<std::pair<std::int64_t, double>> plain;
  std::vector<std::pair<std::int64_t, double>> flagged;  // by the study's rule for outliers
};
TrialPoints trial_points(const ReportInput& input, const Group& group);

// Whether dots would lie on one another: the figure then leaves out those that others cover.
bool has_covered_dots(const TrialPoints& points);

// Text for the script trials.gp; none below two blocks.
std::vector<std::string> trial_definitions(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
