#include "stats/median_interval.h"

#include <vector>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

// Largest d in [0, n/2] with P(Bin(n, 1/2) <= d - 1) <= tail; 0 when not even d = 1 will do.
std::size_t largest_rank(std::size_t n, double tail) {
  const double with_slack = tail * (1.0 + 1e-12);  // 0.9375 is attained exactly at n = 5
  std::size_t good = 0;
  std::size_t bad = n / 2 + 1;
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (fair_coin_lower_tail(n, middle - 1) <= with_slack ? good : bad) = middle;
  }
  return good;
}

}  // namespace

MedianInterval median_ci_order(std::span<const double> x, double level) {
  MedianInterval result;
  result.n = x.size();
  if (!all_finite(x) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (x.empty()) {
    return result;
  }
  const std::vector<double> sorted = sorted_copy(x);
  result.median = sorted_quantile(sorted, 0.5);
  result.max_coverage = 1.0 - 2.0 * fair_coin_lower_tail(x.size(), 0);
  const std::size_t d = largest_rank(x.size(), (1.0 - level) / 2.0);
  if (d == 0) {
    result.status = Status::kUnattainable;
    return result;
  }
  result.status = Status::kOk;
  result.rank_lo = d;
  result.rank_hi = x.size() + 1 - d;
  result.lo = sorted[d - 1];
  result.hi = sorted[x.size() - d];
  result.coverage = 1.0 - 2.0 * fair_coin_lower_tail(x.size(), d - 1);
  return result;
}

}  // namespace scalestudy::stats
