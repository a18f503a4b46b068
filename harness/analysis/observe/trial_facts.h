// Telemetry of a trial that is no measured number: settings, and what is so or not.
#pragma once

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Takes the row into the trial if it is such a fact; whether it is.
bool take_fact(const TelemetryRow& row, TrialObservation& trial);

}  // namespace scalestudy
