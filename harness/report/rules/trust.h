// How far to trust a report, by its stored trials and the threats that were found in them.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"
#include "harness/text/shell_word.h"

namespace scalestudy::report {

// The grade of trust: "high" without warnings, "medium" with warnings of some rows, "low" with one
// of all numbers or if no number has an interval, "not at all" where no trial ended ok.
std::string trust_grade(const ReportInput& input);

// What the numbers rest on: "complete, 120 of 120 trials ok, 8 per cell, 1 machine, 1 session; a
// device is a CPU core, no GPU". An imported study is only partly done while cells have no log.
std::string trust_basis(const ReportInput& input);

// What limits the whole report: "interim: 12 of 90 trials still to run", "mixed: several versions
// of the software", after "emulated, not measured" or "imported from logs: not run by scalestudy"
// where that holds too. "" for a complete study that measured everything under the same conditions.
std::string state_text(const ReportInput& input);

// 0 for a warning that says why there is no speedup, 1 for one about all numbers, 2 for other
// warnings.
int gravity_rank(const ThreatRow& warning);

// The threats that are warnings: first why there is no speedup, then those of all numbers. What is
// said already is left out: that trials were imported, and foreign load where
// shared_machine_warning() tells it.
std::vector<ThreatRow> reported_warnings(const ReportInput& input);

// A warning to be read before any answer: how many trials ran under heavy load (kHeavyLoadShare, or
// what the study allows if that is more). "" if that is half of the trials or fewer, or if it puts
// only some results in doubt, or none.
std::string shared_machine_warning(const ReportInput& input);

// Why the numbers are not worth much: impossible times of at least half of the trials, then
// shared_machine_warning(). "" if neither holds.
std::string why_worthless(const ReportInput& input);

// Why there is no answer yet: what the first comparison without enough data lacks, the verdict of
// one that allows no claim, or what any comparison needs; and how to continue, if trials are left.
// - results: the folder in which a reader continues; reports do not know theirs.
std::string why_no_answer(const ReportInput& input, const std::string& results = kDefaultResults);

}  // namespace scalestudy::report
