#include "stats/variance_components.h"

#include <algorithm>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

// Sums of squares of a one-way layout.
struct TrialSums {
  std::vector<double> means;
  double total = 0.0;          // number of values
  double sum_of_sizes2 = 0.0;  // sum of squared trial sizes
  double within = 0.0;
};

TrialSums sums_of(std::span<const std::vector<double>> groups) {
  TrialSums sums;
  for (const std::vector<double>& group : groups) {
    const Moments m = moments(group);
    const auto size = static_cast<double>(m.n);
    sums.means.push_back(m.mean);
    sums.total += size;
    sums.sum_of_sizes2 += size * size;
    sums.within += m.variance * (size - 1.0);
  }
  return sums;
}

// Weighted squares of the trial means about their size-weighted mean.
double between_squares(std::span<const std::vector<double>> groups, const TrialSums& sums) {
  const double shift = sums.means.front();  // removes the common offset before weighting
  double grand_mean = shift;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    grand_mean += static_cast<double>(groups[i].size()) * (sums.means[i] - shift) / sums.total;
  }
  double between = 0.0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double gap = sums.means[i] - grand_mean;
    between += static_cast<double>(groups[i].size()) * gap * gap;
  }
  return between;
}

}  // namespace

VarianceComponents variance_components(std::span<const std::vector<double>> groups) {
  VarianceComponents result;
  result.trials = groups.size();
  const bool is_valid = std::all_of(
      groups.begin(), groups.end(), [](auto& g) { return !g.empty() && all_finite(g); });
  if (!is_valid) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (groups.empty()) {
    return result;
  }
  const TrialSums sums = sums_of(groups);
  const auto trials = static_cast<double>(groups.size());
  const double df_between = trials - 1.0;
  const double df_within = sums.total - trials;
  if (df_within > 0.0) {
    result.var_within = sums.within / df_within;
    result.ms_within = result.var_within;
  }
  if (groups.size() < 2 || !result.ms_within) {
    return result;
  }
  result.ms_between = between_squares(groups, sums) / df_between;
  result.n0 = (sums.total - sums.sum_of_sizes2 / sums.total) / df_between;
  result.var_between_raw = (*result.ms_between - *result.ms_within) / *result.n0;
  result.var_between = std::max(0.0, *result.var_between_raw);
  if (!(*result.ms_within > 0.0)) {
    result.status = Status::kZeroVariance;
    return result;
  }
  result.f = *result.ms_between / *result.ms_within;
  result.p = fisher_f_upper_tail(*result.f, df_between, df_within);
  result.status = *result.var_between_raw < 0.0 ? Status::kNegativeComponent : Status::kOk;
  return result;
}

}  // namespace scalestudy::stats
