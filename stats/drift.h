// Drift of the machine across a session, also in waves, and of the steps inside a trial.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/mean_interval.h"
#include "stats/status.h"

namespace scalestudy::stats {

struct MannKendall {
  Status status = Status::kInsufficientData;
  std::optional<double> s;                // pairs that rise minus pairs that fall
  std::optional<double> var_s;            // corrected for ties
  std::optional<double> z;                // (s -/+ 1) / sqrt(var_s)
  std::optional<double> p;                // two-sided, normal approximation
  std::optional<double> theil_sen_slope;  // median slope of all pairs, unit of y per position
};

// Monotone trend of values in run order, e.g. of trial means across a session, over strata that may
// differ in level, e.g. cells that ran one after the other: s and its variance are sums over the
// strata, the slope the median of the slopes inside them. Strata of one value add nothing.
//
// - status: invalid_input for a value that is not finite; insufficient_data if no stratum has 3
//   values; zero_variance if no stratum varies (s and the slope are 0, no z or p).
// - p: rough below n = 10.
// - source: Mann 1945, Kendall 1975, Sen 1968; for strata Hirsch, Slack & Smith 1982.
MannKendall mann_kendall_stratified(std::span<const std::vector<double>> strata);

struct SerialCorrelation {
  Status status = Status::kInsufficientData;
  std::optional<double> z;  // below 0: neighbours are more alike than in a random order
  std::optional<double> p;  // one-sided, that they are as alike by chance; normal approximation
};

// Whether neighbours of values in run order are alike, over strata that may differ in level: sum of
// squared differences of neighbours' ranks against its mean and variance over all orders. A trend
// makes neighbours alike, too.
//
// - status: invalid_input for a value that is not finite; insufficient_data if no stratum has 3
//   values; zero_variance if no stratum varies.
// - p: at n = 5 to 40, 4.5 to 6.2 % of random orders have one below 0.05. Ties get their mean rank.
// - source: Bartels 1982 (rank version of von Neumann's ratio).
SerialCorrelation rank_von_neumann_stratified(std::span<const std::vector<double>> strata);

// Factor by which the standard error of the mean of such values exceeds that of independent ones:
// sqrt(1 + 2 sum r_k), r_k their autocorrelation at lag k inside the strata, up to the first that
// is not above 0 (lags below 400). At least 1; too small if changes last for much of a stratum.
// Absent if no stratum varies, or for a value that is not finite.
// - source: Geyer 1992, initial positive sequence (here of single lags).
std::optional<double> standard_error_inflation(std::span<const std::vector<double>> strata);

struct DriftSlopes {
  Status status = Status::kInsufficientData;
  std::vector<double> slope_per_100_steps;  // of each trial, relative to its mean
  MeanInterval mean_slope;                  // t interval across trials
  std::optional<double> t;                  // against a slope of 0
  std::optional<double> p;                  // two-sided
};

// Least squares slope of each trial over its steps, then one-sample t across trials.
//
//   steps   step times in seconds, one vector per trial, > 0.
//   status  insufficient_data: fewer than 2 trials (slopes are given), or a trial with fewer than 3
//           steps; zero_variance: all slopes equal, no t or p. Else as mean_ci_t.
DriftSlopes drift_slopes(std::span<const std::vector<double>> steps, double level);

}  // namespace scalestudy::stats
