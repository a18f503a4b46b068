// Rules of reporting measurements, held against a report: after Hoefler & Belli, "Scientific
// Benchmarking of Parallel Computing Systems" (SC 2015), in our words.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

enum class LintState { kKept, kBroken, kNotApplicable };

struct LintResult {
  std::string rule;  // base_case, trials, intervals, ratios, versions, sessions, controls,
                     // thresholds, oversubscription, prices, knobs
  LintState state = LintState::kKept;
  std::string finding;  // what breaks it, in a sentence; empty unless broken
  std::string advice;   // what to do
};

// Every rule, in one order:
//   base_case         every measured cell that is no baseline has one that was measured
//   trials            every cell with results has five trials or more
//   intervals         every mean and comparison has an interval, and says its method
//   ratios            no metric that is a ratio or a rate is averaged as it stands
//   versions          one version of the software in all sessions
//   sessions          two sessions or more
//   controls          comparisons of devices have the control aa; of train also noop
//   thresholds        every threshold asked for is resolved
//   oversubscription  no cell has more ranks than the machine has cores or devices
//   prices            every declared price has a source and a date
//   knobs             a variable that is varied shows somewhere that it was applied
std::vector<LintResult> lint(const ReportInput& input);

}  // namespace scalestudy::report
