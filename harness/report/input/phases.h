// The phases of a step that a report shows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

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

// A sentence on the measured cell whose step waits for its samples for the largest part, beside how
// long it waits for other ranks: which of the two limits it. Of several devices, where that is so
// in some such cell. "" where no cell's wait is surely above the study's margin. Oversubscribed
// cells take no part.
std::string input_wait(const ReportInput& input);

}  // namespace scalestudy::report
