// Tests of two cells that no verb uses: pooled variance, and equivalence in other designs.
#pragma once

#include <span>

#include "stats/compare.h"
#include "stats/equivalence.h"

namespace scalestudy::stats {

// Student's t with pooled variance; statuses as welch_t. Never chosen by a pre-test.
Difference student_t_pooled(std::span<const double> a, std::span<const double> b, double level);

// tost_ratio of log_ratio_welch, for independent trials.
Equivalence tost_log_ratio(std::span<const double> a,
                           std::span<const double> b,
                           double margin,
                           double alpha);

// tost_ratio of log_ratio_paired, for complete blocks; a and b in block order.
Equivalence tost_log_ratio_paired(std::span<const double> a,
                                  std::span<const double> b,
                                  double margin,
                                  double alpha);

// Two one-sided Welch t tests of mean a - mean b against bounds low < high in the unit of the
// values; statuses as welch_t, invalid_input also for alpha outside (0, 0.5).
Equivalence tost_welch(
    std::span<const double> a, std::span<const double> b, double low, double high, double alpha);

}  // namespace scalestudy::stats
