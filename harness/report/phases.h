// The phases of a step that a report shows.
#pragma once

#include <span>
#include <vector>

#include "harness/report/input.h"
#include "harness/report/layout.h"

namespace scalestudy::report {

struct Phase {
  const char* metric;
  const char* name;
};

// In the order of a step.
std::span<const Phase> all_phases();

// Those that some cell of the group has an estimate of. They add up to the
// step; whatever else a workload times is in data/phases.csv.
std::vector<Phase> measured_phases(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
