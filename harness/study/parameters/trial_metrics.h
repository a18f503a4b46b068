// The metrics of trials of the built-in workloads that analysis.metrics may name.
#pragma once

#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy {

// What is wrong with asking trials of that workload for `metric`; empty if some of them may have
// it, or if their metrics are not known (kCommand).
std::string check_trial_metric(Workload workload, const std::string& metric);

}  // namespace scalestudy
