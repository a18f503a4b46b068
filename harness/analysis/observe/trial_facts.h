// Telemetry of a trial that is not a measured number: settings, and facts of yes or no.
#pragma once

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Stores the row in the trial if it is such a fact, and returns whether it is.
bool take_fact(const TelemetryRow& row, TrialObservation& trial);

}  // namespace scalestudy
