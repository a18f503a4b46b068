// Learning curves: accuracy and loss on held-out samples after each epoch.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// A value of networks that is evaluated after each epoch.
struct LearnedValue {
  const char* metric;   // of analysis.time_to: "accuracy"
  const char* heading;  // "Accuracy on held-out samples"
};

// Accuracy and loss.
const std::vector<LearnedValue>& learned_values();

// What the files of its figures are called: "learning-accuracy".
std::string learning_slug(const LearnedValue& value);

// The definitions of the figures of that value; none with fewer than two epochs.
std::vector<std::string> learning_definitions(const ReportInput& input,
                                              const Group& group,
                                              const LearnedValue& value);

// What these figures show, in words.
std::string learning_text(const ReportInput& input, const Group& group, const LearnedValue& value);

}  // namespace scalestudy::report
