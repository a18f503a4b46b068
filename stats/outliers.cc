#include "stats/outliers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/sum.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

// As published, not 0.67449 and 1.2533141.
constexpr double kMadFactor = 0.6745;
constexpr double kMeanAdFactor = 1.253314;

}  // namespace

ModifiedZ modified_z(std::span<const double> x, double threshold) {
  ModifiedZ result;
  if (!all_finite(x) || !is_positive(threshold)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (x.empty()) {
    return result;
  }
  const double centre = *median(x);
  const double mad = median_absolute_deviation(x, centre);
  const double mean_ad =
      pairwise_sum(0, x.size(), [&](std::size_t i) { return std::abs(x[i] - centre); }) /
      static_cast<double>(x.size());
  result.median = centre;
  result.mad = mad;
  result.mean_ad = mean_ad;
  double factor = 0.0;
  if (mad > 0.0) {
    result.scale_used = ZScale::kMad;
    factor = kMadFactor / mad;
  } else if (mean_ad > 0.0) {
    result.scale_used = ZScale::kMeanAd;
    factor = 1.0 / (kMeanAdFactor * mean_ad);
  }
  result.status = result.scale_used == ZScale::kNone ? Status::kZeroVariance : Status::kOk;
  for (const double value : x) {
    const double score = factor * (value - centre);
    const bool is_outlier = std::abs(score) > threshold;
    result.scores.push_back(score);
    result.outlier.push_back(is_outlier);
    result.n_outliers += is_outlier ? 1 : 0;
  }
  return result;
}

HighOutliers high_outliers(std::span<const double> x, std::size_t most) {
  constexpr std::size_t least = 3;
  HighOutliers result;
  if (!all_finite(x) || most == 0) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (x.size() < least) {
    return result;
  }
  const std::vector<double> sorted = sorted_copy(x);
  if (moments(sorted).is_constant) {
    result.status = Status::kZeroVariance;
    return result;
  }
  double smallest = 1.0;
  for (std::size_t removed = 0; removed < most && removed + least <= sorted.size(); ++removed) {
    const std::span<const double> kept = std::span(sorted).first(sorted.size() - removed);
    const Moments m = moments(kept);
    if (m.is_constant) {
      break;
    }
    const auto n = static_cast<double>(kept.size());
    const double g = (kept.back() - m.mean) / std::sqrt(m.variance);
    const double left = (n - 1.0) * (n - 1.0) - n * g * g;  // 0 where all others are equal
    const double t =
        left > 0.0 ? g * std::sqrt(n * (n - 2.0) / left) : std::numeric_limits<double>::infinity();
    smallest =
        std::min(smallest, std::isfinite(t) ? n * student_t_two_sided_p(t, n - 2.0) / 2.0 : 0.0);
  }
  result.status = Status::kOk;
  result.p = std::min(1.0, smallest * static_cast<double>(most));
  return result;
}

}  // namespace scalestudy::stats
