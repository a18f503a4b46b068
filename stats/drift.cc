#include "stats/drift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/regression.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

// n(n-1)(2n+5): the part of 18 var S that n exchangeable values (or n ties) contribute.
double kendall_term(double n) {
  return n * (n - 1.0) * (2.0 * n + 5.0);
}

// Ranks from 1 on; ties get the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
  const std::vector<double> sorted = sorted_copy(values);
  std::vector<double> ranks;
  ranks.reserve(values.size());
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    const auto below = static_cast<double>(first - sorted.begin());
    const auto through = static_cast<double>(last - sorted.begin());
    ranks.push_back((below + 1.0 + through) / 2.0);
  }
  return ranks;
}

// Sum of (x_i - mean)(x_i+lag - mean).
double lagged_products(std::span<const double> values, double mean, std::size_t lag) {
  double sum = 0.0;
  for (std::size_t i = 0; i + lag < values.size(); ++i) {
    sum += (values[i] - mean) * (values[i + lag] - mean);
  }
  return sum;
}

// The variance of rank_von_neumann_stratified()'s sum of squares, over all orders of n ranks whose
// squared deviations from their mean add up to `squares`.
double von_neumann_variance(double n, double squares) {
  return squares * squares * 4.0 * (n - 2.0) * (5.0 * n * n - 2.0 * n - 9.0) /
         (5.0 * n * (n + 1.0) * (n - 1.0) * (n - 1.0));
}

}  // namespace

MannKendall mann_kendall_stratified(std::span<const std::vector<double>> strata) {
  constexpr std::size_t least = 3;
  MannKendall result;
  double s = 0.0;
  double variance = 0.0;
  bool varies = false;
  bool is_enough = false;
  std::vector<double> slopes;
  for (const std::vector<double>& y : strata) {
    if (!all_finite(y)) {
      result.status = Status::kInvalidInput;
      return result;
    }
    is_enough = is_enough || y.size() >= least;
    std::map<double, double> ties;
    for (std::size_t i = 0; i < y.size(); ++i) {
      ties[y[i]] += 1.0;
      for (std::size_t j = i + 1; j < y.size(); ++j) {
        s += y[j] > y[i] ? 1.0 : 0.0;
        s -= y[j] < y[i] ? 1.0 : 0.0;
        slopes.push_back((y[j] - y[i]) / static_cast<double>(j - i));
      }
    }
    variance += kendall_term(static_cast<double>(y.size()));
    for (const auto& [value, count] : ties) {
      variance -= kendall_term(count);
    }
    varies = varies || ties.size() > 1;
  }
  if (!is_enough) {
    return result;
  }
  variance /= 18.0;
  result.s = s;
  result.var_s = variance;
  result.theil_sen_slope = *median(slopes);
  if (!varies) {
    result.status = Status::kZeroVariance;
    return result;
  }
  result.status = Status::kOk;
  // Continuity: s moves in steps of 2 and 0 stays 0.
  const double corrected = s == 0.0 ? 0.0 : s - std::copysign(1.0, s);
  result.z = corrected / std::sqrt(variance);
  result.p = normal_two_sided_p(*result.z);
  return result;
}

SerialCorrelation rank_von_neumann_stratified(std::span<const std::vector<double>> strata) {
  constexpr std::size_t least = 3;
  SerialCorrelation result;
  double excess = 0.0;
  double variance = 0.0;
  bool is_enough = false;
  for (const std::vector<double>& values : strata) {
    if (!all_finite(values)) {
      result.status = Status::kInvalidInput;
      return result;
    }
    if (values.size() < least) {
      continue;
    }
    is_enough = true;
    const std::vector<double> ranks = ranks_of(values);
    const double squares = lagged_products(ranks, *mean(ranks), 0);
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      excess += (ranks[i] - ranks[i - 1]) * (ranks[i] - ranks[i - 1]);
    }
    excess -= 2.0 * squares;
    variance += von_neumann_variance(static_cast<double>(ranks.size()), squares);
  }
  if (variance > 0.0) {
    result.status = Status::kOk;
    result.z = excess / std::sqrt(variance);
    result.p = normal_lower_tail(*result.z);
  } else if (is_enough) {
    result.status = Status::kZeroVariance;
  }
  return result;
}

std::optional<double> standard_error_inflation(std::span<const std::vector<double>> strata) {
  std::size_t longest = 0;
  for (const std::vector<double>& values : strata) {
    if (!all_finite(values)) {
      return std::nullopt;
    }
    longest = std::max(longest, values.size());
  }
  const auto products_at = [&](std::size_t lag) {
    double sum = 0.0;
    for (const std::vector<double>& values : strata) {
      sum += values.empty() ? 0.0 : lagged_products(values, *mean(values), lag);
    }
    return sum;
  };
  const double squares = products_at(0);
  if (!(squares > 0.0)) {
    return std::nullopt;
  }
  double correlations = 0.0;
  constexpr std::size_t most_lags = 400;
  for (std::size_t lag = 1; lag < std::min(longest, most_lags); ++lag) {
    const double products = products_at(lag);
    if (!(products > 0.0)) {
      break;
    }
    correlations += products / squares;
  }
  return std::sqrt(1.0 + 2.0 * correlations);
}

DriftSlopes drift_slopes(std::span<const std::vector<double>> steps, double level) {
  DriftSlopes result;
  if (!all_trials_positive(steps) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  for (const std::vector<double>& trial : steps) {
    std::vector<double> index(trial.size());
    std::iota(index.begin(), index.end(), 0.0);
    const LinearFit line = linreg(index, trial);
    if (line.status != Status::kOk) {
      result.status = line.status;
      return result;
    }
    constexpr double steps_per_unit = 100.0;
    result.slope_per_100_steps.push_back(*line.slope * steps_per_unit / moments(trial).mean);
  }
  result.mean_slope = mean_ci_t(result.slope_per_100_steps, level);
  result.status = result.mean_slope.status;
  if (result.status == Status::kOk) {
    result.t = *result.mean_slope.mean / *result.mean_slope.se;
    result.p = student_t_two_sided_p(*result.t, *result.mean_slope.df);
  }
  return result;
}

}  // namespace scalestudy::stats
