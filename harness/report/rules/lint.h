// Rules of reporting measurements, checked against a report: after Hoefler & Belli, "Scientific
// Benchmarking of Parallel Computing Systems" (SC 2015), in our words.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// What became of a rule; kNotApplicable where the report has nothing that the rule is about.
enum class LintState { kKept, kBroken, kNotApplicable };

// One rule, checked against the report.
struct LintResult {
  std::string rule;  // base_case, trials, intervals, ratios, versions, sessions, controls,
                     // thresholds, oversubscription, prices, knobs
  LintState state = LintState::kKept;
  std::string finding;  // what breaks it, in a sentence; empty unless broken
  std::string advice;   // what to do about a broken rule
};

// The results of all rules, always in this order:
// - base_case: every measured cell is a baseline, or is compared with one that was measured.
// - trials: every cell with results has five trials or more.
// - intervals: every mean and comparison has an interval, every mean its method.
// - ratios: no metric that is a ratio or a rate is averaged directly.
// - versions: all sessions had one version of the software.
// - sessions: the trials are from two sessions or more.
// - controls: comparisons of devices have the control aa, and noop when they train.
// - thresholds: every threshold that the study asks for is resolved.
// - oversubscription: no cell has more ranks than the machine has cores or devices.
// - prices: every declared price has a source and a date.
// - knobs: a varied environment variable was applied, or if nothing tells, has an effect on some
//   step time.
std::vector<LintResult> lint(const ReportInput& input);

}  // namespace scalestudy::report
