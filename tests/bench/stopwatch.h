// Wall time and medians for the benches. Nothing here is asserted: benches print ratios.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace scalestudy::bench {

// Seconds that `work` took.
template <typename Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Median; `values` must not be empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace scalestudy::bench
