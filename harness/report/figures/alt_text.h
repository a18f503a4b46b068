// What figures show of the cells of a group, in words, for readers who cannot see them.
#pragma once

#include <string>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/study/parameters/metrics.h"

namespace scalestudy::report {

// "Speedup with intervals: 2 devices against 1 device: faster in all 3 pairs, from ...".
std::string speedup_text(const ReportInput& input, const Group& group);

// - rate: a metric that has a figure.
std::string rate_text(const ReportInput& input, const Group& group, const Metric& rate);

std::string breakdown_text(const ReportInput& input, const Group& group);
std::string message_text(const ReportInput& input, const Group& group);
std::string cost_text(const ReportInput& input, const Group& group);
std::string trials_text(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
