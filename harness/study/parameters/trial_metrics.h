// What trials of the built-in workloads measure and tell, by name: what analysis.metrics may name.
#pragma once

#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy {

// What is wrong with asking trials of that workload for `metric`, empty when some of them may have
// it, or nobody knows what they have (kCommand).
std::string check_trial_metric(Workload workload, const std::string& metric);

}  // namespace scalestudy
