// Quantiles of values that are not sorted, in linear time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace scalestudy::stats {

// The same number as sorted_quantile(). `values` are not empty and finite; they are left in another
// order: those before the quantile's place are the smallest.
//
//   p          in [0, 1]
//   smallest   so many values in front are known to be the smallest, from a call with a lower p; no
//              more than its place, (n - 1) p
inline double select_quantile(std::span<double> values, double p, std::size_t smallest = 0) {
  const double h = static_cast<double>(values.size() - 1) * p;
  const double whole = std::floor(h);
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(whole);
  std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(smallest), place, values.end());
  if (place + 1 == values.end()) {
    return *place;
  }
  return *place + (h - whole) * (*std::min_element(place + 1, values.end()) - *place);
}

}  // namespace scalestudy::stats
