// What failed attempts, those that took their place, and impossible times mean for a cell's
// results, in words.
#pragma once

#include <string>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/rows.h"

namespace scalestudy {

// "survivors only: 2 of 10 attempts of ... failed" if has_survivors_only(), "all 3 attempts of ...
// ran out of memory" if there are none; else empty.
std::string survivors_note(const CellObservation& cell);

// "2 of 8 trials of ... count with a later attempt, up to attempt 3"; empty if none was chosen so.
std::string chosen_note(const CellObservation& cell);

// Whether the row is of a part of the step (step_shares()) that is longer than the step by more
// than rounding: its interval, or its value without one, is above 102 %.
bool is_longer_than_step(const EstimateRow& row);

// "the measured steps of 2 of 8 trials add up to more than the trial took"; empty if those of no
// trial do, or if the metric does not follow from the cell's own step time, as rates and costs do.
// A rate or utilization that the program prints does not. "a part of the step is longer than the
// step" if is_longer_than_step().
// - row: of the cell and the metric; nullptr if there is none.
std::string impossible_note(const CellObservation& cell,
                            const std::string& metric,
                            const EstimateRow* row,
                            const Study& study);

// Whether more than a tenth of the launches behind the trials that count were replaced by a later
// one (ChosenTrials), so that the trials that count may be the best of several.
bool is_mostly_chosen(const CellObservation& cell);

}  // namespace scalestudy
