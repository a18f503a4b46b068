// Which trials and steps a study measured, in the words of its section.
#pragma once

#include <string>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "10 of each cell": as many as the study asks for, with what was added, merged or pruned; of
// imported trials as many as there are logs.
std::string trial_count_text(const ReportInput& input);

// The order of trials and its seed. That of imported trials is what was declared of it: nobody drew
// it from the study's seed.
std::string order_text(const ReportInput& input);

// "20", or "20 to 312" where a window's floor in time made it more in some trials.
std::string measured_steps(const ReportInput& input);

// What the time of a step is: what is named so in the results (StepTime). Results without a name
// are older than the names.
std::string step_time_definition(const ReportInput& input);

}  // namespace scalestudy::report
