// Cost against time, with those cells that no other is both faster and cheaper than.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/text/measure.h"

namespace scalestudy::report {

// A cell by what a million samples take on it, at the first declared price.
struct CostPoint {
  const CellRow* cell = nullptr;
  Measure hours;
  Measure cost;
};

// Of the group's cells that have a cost and make a claim, by time.
std::vector<CostPoint> cost_points(const ReportInput& input, const Group& group);

// Those of them that none beats in one without being beaten in the other, by their estimates.
std::vector<CostPoint> cost_front(const std::vector<CostPoint>& points);

// Text for the script cost.gp; none below three cells.
std::vector<std::string> cost_definitions(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
