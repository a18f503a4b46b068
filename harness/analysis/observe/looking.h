// Looks at results before the planned number of trials had ended, and changes of that number while
// results were known: either weakens what p values promise.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Finds the looks and the changes of trials.count. The count of sessions whose study text was not
// stored (before schema version 3) is not known.
// - sessions, trials, looks: those of one study, sessions in order of id.
Looking find_looking(const std::vector<SessionRow>& sessions,
                     const std::vector<TrialRow>& trials,
                     std::vector<std::int64_t> looks,
                     const Study& now);

// Threats to p values from how the trials were chosen and ordered; none if nothing is compared.
// - sequential: a warning while trials are still to run, and once their number was changed after
//   some had run. A verdict of one look among several is wrong more often than it says.
// - batch_order: a warning if all trials of a cell run in a row. Changes of the machine during the
//   session then differ between cells, and no interval allows for that.
std::vector<ThreatRow> looking_threats(const StudyObservation& observation,
                                       const Study& study,
                                       const std::vector<ComparisonRow>& comparisons);

}  // namespace scalestudy
