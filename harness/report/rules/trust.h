// How far to trust a report, from what was stored of its trials and the threats that were found.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "high": no warning; "medium": of some rows; "low": one of all numbers; "not at all": no trial
// ended ok.
std::string trust_grade(const ReportInput& input);

// "complete, 120 of 120 trials ok, 8 a cell, 1 machine, 1 session; a device is a CPU core, no GPU"
std::string trust_basis(const ReportInput& input);

// "interim: 12 of 90 trials still to run", "mixed: several versions of the software"; before them
// "emulated, not measured"; "" of a study that measures, is complete and of one piece.
std::string state_text(const ReportInput& input);

// The warnings, those of all numbers first; of foreign load only where shared_machine_warning()
// does not say it.
std::vector<ThreatRow> reported_warnings(const ReportInput& input);

// Where most trials shared their machine: before any answer. "" where they did not.
std::string shared_machine_warning(const ReportInput& input);

}  // namespace scalestudy::report
