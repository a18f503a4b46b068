// Step times on more devices than were measured (projections, if a check allows them) and
// scenarios.
#pragma once

#include <vector>

#include "harness/analysis/laws/communication.h"
#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"

namespace scalestudy {

// Makes one row for each curve over devices and each number in analysis.projection.to of which it
// has no trials, and one for each scenario and number of devices. Nothing else reads these rows: no
// estimate, comparison, law or verdict.
//
// Values of `status` of a projection:
// - ok: it passed the check (stats/projection.h) and has a value with an interval.
// - refused: it did not pass, or could not be checked; `finding` compares the errors.
// - extrapolated: it goes further beyond the most devices measured than the check went beyond those
//   it was fitted to, so the check's errors say nothing there.
// - unsupported: more devices than a node has (devices_per_node), and no cell has several nodes.
//
// A scenario is calculated from declared constants: status ok, no interval, provenance scenario. If
// ranks sleep (is_emulated), projections are emulated, and earlier ones of real ranks are removed.
//
// - sessions: the study's; a projection names the one of its newest trial.
// - earlier: rows as stored. Those of earlier sessions are kept unchanged, whatever is projected
//   now; once a cell has trials on as many devices, its measured time is added to them.
std::vector<ProjectionRow> project_cells(const StudyObservation& observation,
                                         const Study& study,
                                         const Communication& communication,
                                         const std::vector<SessionRow>& sessions,
                                         const std::vector<ProjectionRow>& earlier);

}  // namespace scalestudy
