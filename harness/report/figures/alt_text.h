// What figures show of the cells of a group, in words, for readers who cannot see them: axes, lines
// and the one thing to see. Sentences that the page has anyway are not repeated.
#pragma once

#include <string>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/study/parameters/metrics.h"

namespace scalestudy::report {

// - rate: a metric that has a figure.
std::string rate_text(const ReportInput& input, const Group& group, const Metric& rate);

std::string breakdown_text(const ReportInput& input, const Group& group);
std::string message_text(const ReportInput& input, const Group& group);
std::string cost_text(const ReportInput& input, const Group& group);
std::string trials_text(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
