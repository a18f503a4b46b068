// Two one-sided tests: may two cells be called equivalent?
#pragma once

#include <optional>

#include "stats/ratio_interval.h"
#include "stats/status.h"

namespace scalestudy::stats {

struct Equivalence {
  Status status = Status::kInsufficientData;
  std::optional<double> t_lower;  // against the lower bound
  std::optional<double> p_lower;
  std::optional<double> t_upper;
  std::optional<double> p_upper;
  std::optional<double> df;
  std::optional<double> p;   // the larger of the two
  std::optional<double> lo;  // the 1 - 2 alpha interval, of the ratio or of the difference
  std::optional<double> hi;
};

// Tests H0: the ratio a/b lies outside [1/(1+margin), 1+margin], from the numbers of the ratio's
// interval, whatever its method, so that test and interval cannot disagree: p < alpha means that
// the 1 - 2 alpha interval lies inside. Statuses are those of the interval; invalid_input also for
// margin <= 0 or alpha outside (0, 0.5). Source: Schuirmann 1987.
Equivalence tost_ratio(const RatioInterval& ratio, double margin, double alpha);

// A difference, its standard error (> 0) and degrees of freedom.
struct TestedDifference {
  double diff = 0.0;
  double se = 0.0;
  double df = 0.0;
};
// Tests H0: the difference lies outside [low, high], low < high, by two one-sided t tests.
Equivalence two_one_sided(const TestedDifference& d, double low, double high, double alpha);

}  // namespace scalestudy::stats
