#include "stats/reference/order_statistics.h"

#include <algorithm>
#include <cmath>

namespace scalestudy::stats {
namespace {

constexpr std::size_t kBucketCount = 1024;

// An increasing map to 0 ... kBucketCount - 1 that spreads the range of the first finite values.
struct Spread {
  double low = 0.0;
  double per_unit = 0.0;

  [[nodiscard]] std::uint16_t bucket(double value) const {
    const double position = (value - low) * per_unit;
    const auto last = static_cast<double>(kBucketCount - 1);
    return static_cast<std::uint16_t>(std::min(std::max(position, 0.0), last));
  }
};

Spread spread_of(std::span<const double> values) {
  constexpr std::size_t looked_at = 256;
  bool is_any_finite = false;
  double low = 0.0;
  double high = 0.0;
  for (const double value : values.first(std::min(values.size(), looked_at))) {
    if (std::isfinite(value)) {
      low = is_any_finite ? std::min(low, value) : value;
      high = is_any_finite ? std::max(high, value) : value;
      is_any_finite = true;
    }
  }
  const double per_unit = static_cast<double>(kBucketCount) / (high - low);
  // Else one bucket for all: 0 * infinity must not be met.
  return high > low && std::isfinite(per_unit) ? Spread{.low = low, .per_unit = per_unit}
                                               : Spread{};
}

}  // namespace

OrderStatistics::OrderStatistics(std::span<const double> values)
    : values_(values), bucket_of_(values.size(), 0), least_rank_(kBucketCount + 1, 0) {
  const Spread spread = spread_of(values);
  if (spread.per_unit > 0.0) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bucket_of_[i] = spread.bucket(values[i]);
    }
  }
  for (const std::uint16_t bucket : bucket_of_) {
    ++least_rank_[bucket + 1U];
  }
  for (std::size_t bucket = 0; bucket < kBucketCount; ++bucket) {
    least_rank_[bucket + 1] += least_rank_[bucket];
  }
}

double OrderStatistics::smallest(std::size_t k) const {
  // The last bucket with fewer than k values before it.
  const auto after = std::lower_bound(least_rank_.begin(), least_rank_.end(), k);
  const auto bucket = static_cast<std::size_t>(after - least_rank_.begin()) - 1;
  std::vector<double> candidates;
  candidates.reserve(least_rank_[bucket + 1] - least_rank_[bucket]);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (bucket_of_[i] == bucket) {
      candidates.push_back(values_[i]);
    }
  }
  const auto at = candidates.begin() + static_cast<std::ptrdiff_t>(k - least_rank_[bucket] - 1);
  std::nth_element(candidates.begin(), at, candidates.end());
  return *at;
}

}  // namespace scalestudy::stats
