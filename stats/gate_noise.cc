#include "stats/gate_noise.h"

#include <cmath>

#include "stats/binomial_interval.h"
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
  const BinomialInterval counted = binomial_interval(fired, comparisons, level);
  return {counted.status, counted.share, counted.lo, counted.hi};
}

}  // namespace scalestudy::stats
