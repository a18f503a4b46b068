#include "stats/drift.h"

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

DriftSlopes drift_slopes(std::span<const std::vector<double>> steps, double level) {
  DriftSlopes result;
  if (!all_trials_positive(steps) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  for (const std::vector<double>& trial : steps) {
    std::vector<double> index(trial.size());
    std::iota(index.begin(), index.end(), 0.0);
    const LinearFit line = linreg(index, trial, level);
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
