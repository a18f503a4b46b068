#include "workloads/collective/summary.h"

#include <algorithm>
#include <cstdio>

#include "workloads/names/names.h"

namespace scalestudy::collective {
namespace {

// Of the values after warm-up; the upper of the middle two when their number is even.
double median(const protocol::Samples& samples) {
  std::vector<double> values(samples.values.begin() + samples.warmup, samples.values.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void print_summary(const protocol::Start& start,
                   const std::vector<protocol::Samples>& series,
                   const protocol::Check& check) {
  std::printf("%s of %.0f bytes, %s, %d ranks%s\n",
              start.parameters.at(names::kOperation).c_str(),
              start.facts.at("total_bytes"),
              start.parameters.at("mode").c_str(),
              start.ranks,
              start.facts.at(names::kOversubscribed) > 0.0
                  ? ", oversubscribed: no statement on speed"
                  : "");
  std::printf("This launch only, medians over its measured steps:\n");
  for (const protocol::Samples& samples : series) {
    if (samples.rank) {
      continue;
    }
    const bool is_time = samples.unit == "s";
    std::printf("  %-28s %12.3f %s\n",
                samples.metric.c_str(),
                median(samples) * (is_time ? 1e6 : 1e-9),
                is_time ? "µs" : "GB/s");
  }
  std::printf("  %s: %s%s%s\n",
              check.name.c_str(),
              check.passed ? "passed" : "FAILED",
              check.detail.empty() ? "" : ", ",
              check.detail.c_str());
}

}  // namespace scalestudy::collective
