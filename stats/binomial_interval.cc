#include "stats/binomial_interval.h"

#include "stats/check.h"
#include "stats/distributions.h"

namespace scalestudy::stats {

BinomialInterval binomial_interval(std::size_t count, std::size_t n, double level) {
  BinomialInterval result;
  if (n == 0 || count > n || !is_level(level)) {
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
  result.share = static_cast<double>(count) / static_cast<double>(n);
  result.lo =
      count == 0 ? 0.0 : first([&](double p) { return binomial_upper_tail(n, p, count) >= tail; });
  result.hi = count == n ? 1.0 : first([&](double p) {
    return 1.0 - binomial_upper_tail(n, p, count + 1) <= tail;
  });
  return result;
}

}  // namespace scalestudy::stats
