#include "stats/estimate.h"

namespace scalestudy::stats {
namespace {

std::optional<double> scaled(std::optional<double> x, double factor) {
  return x ? std::optional(*x * factor) : std::nullopt;
}

std::optional<double> inverted(std::optional<double> x, double numerator) {
  return x && *x > 0.0 ? std::optional(numerator / *x) : std::nullopt;
}

std::optional<double> complemented(std::optional<double> x) {
  return x ? std::optional(1.0 - *x) : std::nullopt;
}

}  // namespace

Estimate estimate_of(const MeanInterval& interval) {
  return {.value = interval.mean, .lo = interval.lo, .hi = interval.hi};
}

Estimate scale_estimate(const Estimate& x, double factor) {
  return {.value = scaled(x.value, factor), .lo = scaled(x.lo, factor), .hi = scaled(x.hi, factor)};
}

Estimate invert_estimate(const Estimate& x, double numerator) {
  return {.value = inverted(x.value, numerator),
          .lo = inverted(x.hi, numerator),
          .hi = inverted(x.lo, numerator)};
}

Estimate complement_estimate(const Estimate& x) {
  return {.value = complemented(x.value), .lo = complemented(x.hi), .hi = complemented(x.lo)};
}

Estimate cost_per_million_samples(const Estimate& step_time_s,
                                  double samples_per_step,
                                  double gpus,
                                  double price_per_gpu_hour) {
  constexpr double seconds_per_hour = 3600.0;
  constexpr double million = 1e6;
  return scale_estimate(step_time_s,
                        price_per_gpu_hour * gpus / seconds_per_hour / samples_per_step * million);
}

}  // namespace scalestudy::stats
