// The figure of cost against time, and the cells that no other cell beats in both.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/text/measure.h"

namespace scalestudy::report {

// A cell with the time and the cost of a million samples on it.
struct CostPoint {
  const CellRow* cell = nullptr;
  Measure hours;
  Measure cost;  // in the declared currency, at the first declared price
};

// The points of the group's cells that have a cost and make a claim about performance, by
// increasing time.
std::vector<CostPoint> cost_points(const ReportInput& input, const Group& group);

// The points for which no other is at least as fast and as cheap and better in one of the two, by
// their estimates.
std::vector<CostPoint> cost_front(const std::vector<CostPoint>& points);

// The definitions of the one figure, for the script cost.gp; none below three cells.
std::vector<std::string> cost_definitions(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
