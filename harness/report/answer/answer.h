// The sentences of the first screen, from stored comparisons, thresholds and the declared axes.
#pragma once

#include <string>
#include <vector>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// "2 devices", "1 device (as fast)", "not told apart", "not enough data": what the verdict
// recommends.
std::string recommendation(const Pair& pair);

struct Answer {
  std::string about;     // "2 devices against 1 device", "Break-even"
  std::string sentence;  // "it depends: faster in 3, slower in 2 of 5 pairs ..."
};

// One for each name that is compared with a base (of many names one in all), for each metric that
// the study asks for, each break-even, and each curve of a collective.
std::vector<Answer> answers(const ReportInput& input, const std::vector<Pair>& pairs);

// Of a study that compares nothing: its targets, else the time of each cell's step.
std::vector<Answer> plain_answers(const ReportInput& input);

// What communication costs where it costs most and least; none without the control noop.
std::vector<std::string> communication_reasons(const ReportInput& input,
                                               const std::vector<Pair>& pairs);

// The tested range, how many pairs have no usable speedup, what a further device costs, what a
// device is.
std::vector<std::string> answer_limits(const ReportInput& input, const std::vector<Pair>& pairs);

}  // namespace scalestudy::report
