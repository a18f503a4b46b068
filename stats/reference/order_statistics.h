// Order statistics of many values without sorting them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace scalestudy::stats {

// Spreads values over buckets in increasing order, so that one order statistic needs the values of
// its own bucket only. Exact for any values but NaN; quick when the first values are like the rest.
class OrderStatistics {
 public:
  // `values` must not be empty and must outlive this object.
  explicit OrderStatistics(std::span<const double> values);

  // The k-th smallest, k from 1 to the number of values.
  [[nodiscard]] double smallest(std::size_t k) const;

 private:
  std::span<const double> values_;
  std::vector<std::uint16_t> bucket_of_;  // one per value
  std::vector<std::size_t> least_rank_;   // one per bucket: values in the buckets before it
};

}  // namespace scalestudy::stats
