#include "stats/gate_noise.h"

#include <cmath>

#include "stats/check.h"
#include "stats/distributions.h"

namespace scalestudy::stats {

GateNoise gate_noise(double sd, double df, double margin, double level) {
  GateNoise result;
  if (!is_positive(sd) || !is_positive(df) || !is_positive(margin) || !is_level(level)) {
    return result;
  }
  const double limit = std::log1p(margin);
  const auto chance = [&](double spread) { return normal_lower_tail(-limit / spread); };
  const double tail = 0.5 * (1.0 - level);
  result.status = Status::kOk;
  result.chance = chance(sd);
  result.lo = chance(sd * std::sqrt(df / chi_squared_quantile(1.0 - tail, df)));
  result.hi = chance(sd * std::sqrt(df / chi_squared_quantile(tail, df)));
  return result;
}

GateNoise counted_gate_noise(std::size_t fired, std::size_t comparisons, double level) {
  GateNoise result;
  if (comparisons == 0 || fired > comparisons || !is_level(level)) {
    return result;
  }
  const double tail = 0.5 * (1.0 - level);
  // The smallest p at which `is_there` holds, which it does from there on.
  const auto first = [](const auto& is_there) {
    double below = 0.0;
    double above = 1.0;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (below + above);
      (is_there(middle) ? above : below) = middle;
    }
    return above;
  };
  result.status = Status::kOk;
  result.chance = static_cast<double>(fired) / static_cast<double>(comparisons);
  result.lo = fired == 0 ? 0.0 : first([&](double p) {
    return binomial_upper_tail(comparisons, p, fired) >= tail;
  });
  result.hi = fired == comparisons ? 1.0 : first([&](double p) {
    return 1.0 - binomial_upper_tail(comparisons, p, fired + 1) <= tail;
  });
  return result;
}

}  // namespace scalestudy::stats
