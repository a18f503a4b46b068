// Whether results were looked at before the planned number of trials had ended, or the number was
// changed with results at hand: what p values then no longer promise.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

//   sessions, trials, looks  of one study, sessions in order of id
// Of sessions whose study text was not stored (before schema version 3) the count is not known.
Looking find_looking(const std::vector<SessionRow>& sessions,
                     const std::vector<TrialRow>& trials,
                     std::vector<std::int64_t> looks,
                     const Study& now);

// Threats to p values from how the trials were chosen and ordered:
//   sequential   a warning while trials are still to run, and once their number was changed after
//                some had: a verdict of one look among several is wrong more often than it says
//   batch_order  a warning of every study whose trials of a cell run in a row: what the machine
//                does over the session differs between the cells, and no interval allows for it
// None where nothing is compared.
std::vector<ThreatRow> looking_threats(const StudyObservation& observation,
                                       const Study& study,
                                       const std::vector<ComparisonRow>& comparisons);

}  // namespace scalestudy
