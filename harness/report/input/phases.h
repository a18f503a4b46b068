// The phases of a step that a report shows, and which of them limits it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

struct Phase {
  const char* metric;  // "forward_time_s"
  const char* name;    // "forward"
};

// All phases in the order of a step.
std::span<const Phase> all_phases();

// The phases that some cell of the group has an estimate of. They add up to the step; all other
// times of a workload are in data/phases.csv.
std::vector<Phase> measured_phases(const ReportInput& input, const Group& group);

// A sentence on the cell that waits for its samples for the largest share of its step, with how
// long it waits for other ranks: which of the two limits it. A cell of several devices is
// preferred. "" where no wait is surely above the study's margin. Oversubscribed cells are left
// out.
std::string input_wait(const ReportInput& input);

}  // namespace scalestudy::report
