// Rates that a program prints, checked against the measured step times of the same trials.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/result_rows.h"
#include "harness/store/store.h"

namespace scalestudy {

// Sets `recomputed_...` of the mean of every metric of a command that is a rate
// (audit::rate_kind()), in cells with a step time above 0. A rate of 0 or below does not follow.
//
// Each trial's rate is compared with what its own step time gives, so that a launch that was slow
// disturbs nothing. Both stand for the range from their mean to their median, widened by the
// rounding that their printed digits show; a step time may be computed from a printed rate, whose
// digits then count. That of the step time is wider by four standard errors: 4 s sqrt(1/n + 1/m),
// with s from the quartiles, n measured steps and m printed rates. A rate that is printed once is
// taken as one of the whole run (m = n), whose steps may have been a quarter longer on average, at
// most the trial's wall time over its steps. FLOP of a step are 0.9 to 4/3 of 6 x parameters x
// tokens: the attention and a forward pass done again lie within.
// - estimates: rows of these cells; others are left as they are.
void check_printed_rates(const Store& store,
                         const StudyObservation& observation,
                         const Study& study,
                         std::vector<EstimateRow>& estimates);

}  // namespace scalestudy
