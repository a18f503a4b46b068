// Estimates of the sample study's cells, typed by hand.
#pragma once

#include <string>

#include "harness/store/rows/rows.h"

namespace scalestudy::test {

// Seconds a step of the cell takes: compute divided among devices, and a ring's cost of
// communication.
double sample_step_s(const CellRow& cell);

// The mean of three trials; the interval reaches `relative` of it to either side.
EstimateRow sample_estimate(const CellRow& cell,
                            const std::string& metric,
                            const std::string& unit,
                            double value,
                            double relative);

// Times, rates, shares, costs and communication of the cell.
void add_estimates(Results& results, const CellRow& cell);

}  // namespace scalestudy::test
