// Wall time, CPU time and medians for the benches. Nothing here is asserted: benches print ratios.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace scalestudy::test {

// Seconds that `work` took.
template <typename Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Wall time, and CPU time of the processes that were started and have ended.
struct Spent {
  double wall_s = 0.0;
  double user_s = 0.0;
  double system_s = 0.0;
};

template <typename Work>
Spent spent(const Work& work) {
  const auto ended = [] {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage;
  };
  const auto between_s = [](const timeval& from, const timeval& to) {
    return static_cast<double>(to.tv_sec - from.tv_sec) +
           1e-6 * static_cast<double>(to.tv_usec - from.tv_usec);
  };
  const rusage before = ended();
  const double wall_s = seconds(work);
  const rusage after = ended();
  return {.wall_s = wall_s,
          .user_s = between_s(before.ru_utime, after.ru_utime),
          .system_s = between_s(before.ru_stime, after.ru_stime)};
}

// Median; `values` must not be empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Order-statistics interval of the median at 95 % or more (sign test); needs 6 values.
// source: METHODS.md, median_ci_order, with n tabulated by its recurrence.
inline std::pair<double, double> median_range(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double probability = 1.0;  // C(n, k) / 2^n, from k = 0
  for (std::size_t i = 0; i < values.size(); ++i) {
    probability /= 2.0;
  }
  double below = 0.0;
  std::size_t k = 0;
  while (below + probability <= 0.025) {
    below += probability;
    probability *= static_cast<double>(values.size() - k) / static_cast<double>(k + 1);
    ++k;
  }
  const std::size_t low = k == 0 ? 0 : k - 1;
  return {values[low], values[values.size() - 1 - low]};
}

}  // namespace scalestudy::test
