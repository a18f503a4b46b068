// Times of a step on more devices than were measured, behind a gate, and scenarios.
#pragma once

#include <vector>

#include "harness/analysis/laws/communication.h"
#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"

namespace scalestudy {

// One row per curve over devices and count of analysis.projection.to that it has no trials of, and
// one per scenario and count. Nothing else reads them: no estimate, comparison, law or verdict.
//
// Values of `status` of a projection:
//   ok            the gate was passed (stats/projection.h): value with interval
//   refused       it was not, or could not be tried: `finding` says which error stood against what
//   extrapolated  further beyond the most devices measured than the gate's check went beyond those
//                 it was fitted to: its errors say nothing there
//   unsupported   more devices than a node has (devices_per_node), and no cell of several nodes
// A scenario is declared constants worked out: status ok, no interval, provenance scenario. Where
// ranks sleep (is_emulated) projections are emulated, and earlier ones from ranks that did not go.
//
//   sessions  of the study; a projection carries the one of its newest trial.
//   earlier   rows as stored: those of earlier sessions are kept as they are, whatever is projected
//             now, and once a cell has trials of their count it stands beside them.
std::vector<ProjectionRow> project_cells(const StudyObservation& observation,
                                         const Study& study,
                                         const Communication& communication,
                                         const std::vector<SessionRow>& sessions,
                                         const std::vector<ProjectionRow>& earlier);

}  // namespace scalestudy
