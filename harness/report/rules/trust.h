// How far to trust a report, from what was stored of its trials and the threats that were found.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "high": no warning; "medium": of some rows; "low": one of all numbers; "not at all": no trial
// ended ok.
std::string grade(const ReportInput& input);

// "complete, 120 of 120 trials ok, 8 a cell, 1 machine, 1 session; a device is a CPU core, no GPU"
std::string basis(const ReportInput& input);

// "interim: 12 of 90 trials still to run", "mixed: several versions of the software"; before them
// "emulated, not measured"; "" of a study that measures, is complete and of one piece.
std::string state_of(const ReportInput& input);

// The warnings, those of all numbers first; of foreign load only where worthless() does not say it.
std::vector<ThreatRow> cautions(const ReportInput& input);

// Where most trials shared their machine: before any answer. "" where they did not.
std::string worthless(const ReportInput& input);

}  // namespace scalestudy::report
