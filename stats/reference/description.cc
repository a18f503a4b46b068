#include "stats/reference/description.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/sum.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

// Factor by which the MAD of normal data estimates its standard deviation: 1 / Phi^-1(3/4).
constexpr double kMadToSigma = 1.482602218505602;

std::optional<double> lag1_autocorrelation(std::span<const double> x, double centre) {
  const double squares =
      pairwise_sum(0, x.size(), [&](std::size_t i) { return (x[i] - centre) * (x[i] - centre); });
  if (x.size() < 2 || !(squares > 0.0)) {
    return std::nullopt;
  }
  const double products = pairwise_sum(
      0, x.size() - 1, [&](std::size_t i) { return (x[i] - centre) * (x[i + 1] - centre); });
  return products / squares;
}

FenceLabel label_of(double value, const TukeyFences& fences) {
  if (value < *fences.outer_lo) {
    return FenceLabel::kLowSevere;
  }
  if (value < *fences.inner_lo) {
    return FenceLabel::kLowMild;
  }
  if (value > *fences.outer_hi) {
    return FenceLabel::kHighSevere;
  }
  return value > *fences.inner_hi ? FenceLabel::kHighMild : FenceLabel::kInside;
}

}  // namespace

Description descriptive(std::span<const double> x) {
  Description result;
  result.n = x.size();
  if (!all_finite(x)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (x.empty()) {
    return result;
  }
  const Moments m = moments(x);
  const std::vector<double> sorted = sorted_copy(x);
  const bool is_spread_known = x.size() > 1;
  result.status = is_spread_known && m.is_constant ? Status::kZeroVariance : Status::kOk;
  result.mean = m.mean;
  if (is_spread_known) {
    result.variance = m.variance;
    result.sd = std::sqrt(m.variance);
  }
  result.cv = coefficient_of_variation(x);
  result.min = sorted.front();
  result.max = sorted.back();
  result.median = sorted_quantile(sorted, 0.5);
  result.q25 = sorted_quantile(sorted, 0.25);
  result.q75 = sorted_quantile(sorted, 0.75);
  result.p95 = sorted_quantile(sorted, 0.95);
  result.mad_raw = median_absolute_deviation(x, *result.median);
  result.mad_sigma = *result.mad_raw * kMadToSigma;
  if (sorted.front() > 0.0) {
    const auto count = static_cast<double>(x.size());
    result.harmonic_mean =
        count / pairwise_sum(0, x.size(), [&](std::size_t i) { return 1.0 / x[i]; });
    result.geometric_mean =
        std::exp(pairwise_sum(0, x.size(), [&](std::size_t i) { return std::log(x[i]); }) / count);
  }
  result.lag1_autocorrelation = lag1_autocorrelation(x, m.mean);
  return result;
}

TukeyFences tukey_fences(std::span<const double> x) {
  TukeyFences result;
  if (!all_finite(x)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (x.empty()) {
    return result;
  }
  const std::vector<double> sorted = sorted_copy(x);
  result.status = Status::kOk;
  result.q1 = sorted_quantile(sorted, 0.25);
  result.q3 = sorted_quantile(sorted, 0.75);
  const double iqr = *result.q3 - *result.q1;
  result.inner_lo = *result.q1 - 1.5 * iqr;
  result.inner_hi = *result.q3 + 1.5 * iqr;
  result.outer_lo = *result.q1 - 3.0 * iqr;
  result.outer_hi = *result.q3 + 3.0 * iqr;
  for (const double value : x) {
    result.labels.push_back(label_of(value, result));
  }
  const auto count = [&](FenceLabel label) {
    return static_cast<std::size_t>(std::count(result.labels.begin(), result.labels.end(), label));
  };
  result.low_severe = count(FenceLabel::kLowSevere);
  result.low_mild = count(FenceLabel::kLowMild);
  result.high_mild = count(FenceLabel::kHighMild);
  result.high_severe = count(FenceLabel::kHighSevere);
  return result;
}

}  // namespace scalestudy::stats
