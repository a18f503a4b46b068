// What a study varies and what it keeps, in the words of its tables.
#pragma once

#include <string>

#include "harness/report/input/input.h"
#include "harness/report/template/view.h"
#include "harness/study/declared/side.h"

namespace scalestudy::report {

// A parameter as the heading of a row or column, with its unit where values have none: "global
// batch (samples)", "bandwidth of links", "bucket_mb (MiB)". The study's label takes the place of
// the name.
std::string parameter_heading(const ReportInput& input, const std::string& name);

// Whether the study fixes the parameter, or some cell that is not excluded varies it.
bool gives_parameter(const ReportInput& input, const std::string& name);

// What the side changes: "LIBV=1, prefix nice", "commit v1.2"; "" if nothing, or if its name is
// that of its commit.
std::string side_changes(const StudySide& side);

// Parameters with their values, in one line: "1 device, no links", "side old (LIBV=1)".
std::string parameters_text(const ReportInput& input, const Parameters& parameters);

// Rows (name, value) of what the study varies: its axes with the values that `refine` added, `zip`,
// `include` and its sides with what they change.
View::List varied_rows(const ReportInput& input);

// Rows (name, value) of the parameters that the study fixes.
View::List fixed_rows(const ReportInput& input);

struct EffectiveTexts {
  // The parameters that the study neither varies nor fixes but a reader of its times asks for, with
  // the defaults that the measured cells ran with: "backend cpu, learning rate 0.01 or 0.001,
  // bucket 25 MiB". "" for a `command`.
  std::string defaults;
  // Precision and optimizer of the measured cells of `train`, given or by default: "precision fp32
  // or bf16, optimizer sgd". "" for other workloads.
  std::string precision_and_optimizer;
};

EffectiveTexts effective_texts(const ReportInput& input);

}  // namespace scalestudy::report
