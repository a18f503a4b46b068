// Interval for the mean of one cell.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

struct MeanInterval {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::size_t n = 0;
  std::optional<double> mean;
  std::optional<double> sd;  // between trials; of mean_ci_t_within, inside strata
  std::optional<double> se;
  std::optional<double> df;
  std::optional<double> t_crit;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> half_width_relative;  // (hi - lo) / 2 / |mean|; absent when the mean is 0
};

// Two-sided Student t interval for the mean, n - 1 degrees of freedom.
//
//   x       one value per trial (never pooled steps), any unit; the interval is in that unit.
//   level   in (0, 1), e.g. 0.95.
//   status  invalid_input: a value is not finite or level is outside (0, 1).
//           insufficient_data: n < 2; the mean is given for n = 1, no interval.
//           zero_variance: all equal; the interval has width zero and must be flagged.
//   source  NIST/SEMATECH e-Handbook 1.3.5.2.
MeanInterval mean_ci_t(std::span<const double> x, double level);

// Student t interval for the mean of all values of these strata (sessions). The levels of the
// strata count as fixed: the spread is that inside strata, pooled, with n - strata degrees of
// freedom. It says nothing about further strata. One stratum: mean_ci_t.
//
//   strata  values by stratum, none empty; one value per trial.
//   status  as mean_ci_t; insufficient_data also when no stratum has two values.
//   source  METHODS.md, One cell; assumes that trials spread alike in every stratum.
MeanInterval mean_ci_t_within(std::span<const std::vector<double>> strata, double level);

}  // namespace scalestudy::stats
