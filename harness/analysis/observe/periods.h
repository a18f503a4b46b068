// Steps that recur in the trials of a cell: evaluation, checkpoints, logging.
#pragma once

#include <cstdint>
#include <map>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"
#include "stats/period.h"

namespace scalestudy {

// Sets the period of each cell whose trials have one (stats/period.h; Holm over the cells at 5 %)
// and whose periodic steps take 1 % of the time more than they would without it. The slopes of
// these cells' trials are then those of the other steps.
// - evidence: by cell, of the step times of its trials that have a slope.
void find_periods(const Store& store,
                  std::int64_t study_id,
                  const Study& study,
                  const std::map<std::int64_t, stats::PeriodEvidence>& evidence,
                  StudyObservation& observation);

}  // namespace scalestudy
