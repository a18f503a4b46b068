// What a study varies and what it keeps, in the words of its tables.
#pragma once

#include <string>

#include "harness/report/input/input.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// "global batch (samples)", "bandwidth of links", "bucket_mb (MiB)"; the study's label in place of
// the name.
std::string parameter_heading(const ReportInput& input, const std::string& name);

// Whether the study fixes the parameter, or some cell has it varied.
bool gives_parameter(const ReportInput& input, const std::string& name);

// "1 device, no links".
std::string parameters_text(const ReportInput& input, const Parameters& parameters);

// Rows of a name and a value: axes with what `refine` added, `zip` and `include`; what is fixed.
View::List varied_rows(const ReportInput& input);
View::List fixed_rows(const ReportInput& input);

// "backend cpu, precision fp32, learning_rate 0.01 or 0.001": of what the study neither varies nor
// fixes that which a reader of its times asks for, as the trials saw it; "" of a `command`.
std::string defaults_text(const ReportInput& input);

}  // namespace scalestudy::report
