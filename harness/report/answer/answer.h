// The sentences of the first screen, from stored comparisons, thresholds and the declared axes.
#pragma once

#include <string>
#include <vector>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// Said where several cells may be the best.
inline constexpr const char* kWithinNoise = "no significant difference";

// What the verdict of the pair recommends: "2 devices", "1 device (as fast)", or why it recommends
// nothing: "no significant difference", "not enough data", "out of memory"; "" if the sides are not
// both choices that keep the limits of the study.
std::string recommendation(const Pair& pair);

// What a line of the first screen answers.
enum class AnswerKind {
  kUse,      // the fastest, or the best of a search
  kLargest,  // batch that fits
  kLeftOut,  // settings that do not keep the limits, or only may
  kCheapest,
  kSmallest,
  kBreakEven,
  kSpeedup,  // a name against its base, or all against the base
  kEfficiency,
  kMetric,  // a metric that the study asks for
  kBandwidth,
  kTarget,
  kStepTime,
  kCost,
  kProjected,
};

// One line of the first screen.
struct Answer {
  AnswerKind kind = AnswerKind::kUse;
  std::string about;     // "2 devices against 1 device", "Break-even"
  std::string sentence;  // "it depends: faster in 3, slower in 2 of 5 pairs ..."

  bool operator==(const Answer&) const = default;
};

// The answers of a study that compares cells: its break-evens, one answer for each name that is
// compared with a base (a single one beyond three names), the efficiency that holds up to numbers
// of devices, the metrics that the study asks for, and the curves of a collective.
std::vector<Answer> answers(const ReportInput& input, const std::vector<Pair>& pairs);

// The answers of a study that compares nothing: its targets, or without any the step time of each
// cell.
std::vector<Answer> plain_answers(const ReportInput& input);

// Sentences on the largest and the smallest share of the step that is communication, and on the
// step time without it; none unless the study has the control noop.
std::vector<std::string> communication_reasons(const ReportInput& input,
                                               const std::vector<Pair>& pairs);

// Sentences on what the answers do not cover: values outside the tested range, pairs without a
// usable speedup, what a device is, and that faster is not cheaper where more devices cost more.
std::vector<std::string> answer_limits(const ReportInput& input, const std::vector<Pair>& pairs);

}  // namespace scalestudy::report
