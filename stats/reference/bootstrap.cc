#include "stats/reference/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/reference/order_statistics.h"
#include "stats/reference/resample.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

bool is_valid(const BootstrapPlan& plan) {
  return is_level(plan.level) && plan.resamples > 0;
}

// floor(p (B+1)), 0.025 * 10000 being 250 although it is computed as a little less.
std::size_t rank_below(double p, std::size_t resamples) {
  constexpr double slack = 1e-9;
  return static_cast<std::size_t>(std::floor(p * static_cast<double>(resamples + 1) + slack));
}

struct TailEnds {
  double lo = 0.0;
  double hi = 0.0;
};

// The order statistics that cut p_lo off below and p_hi off above; absent where those lie outside
// the resamples.
std::optional<TailEnds> cut_tails(std::span<const double> values, double p_lo, double p_hi) {
  const std::size_t low = rank_below(p_lo, values.size());
  const std::size_t from_top = rank_below(p_hi, values.size());
  if (low < 1 || from_top < 1 || low + from_top > values.size()) {
    return std::nullopt;
  }
  const OrderStatistics order(values);
  return TailEnds{.lo = order.smallest(low), .hi = order.smallest(values.size() + 1 - from_top)};
}

double statistic_of(std::span<const double> sorted_or_not, ResampledStatistic statistic) {
  return statistic == ResampledStatistic::kMean ? moments(sorted_or_not).mean
                                                : *median(sorted_or_not);
}

// Distances from the centre: their sums keep the digits that sums of the values would lose.
std::vector<double> deviations(std::span<const double> x, double centre) {
  std::vector<double> result(x.size());
  std::transform(x.begin(), x.end(), result.begin(), [&](double v) { return v - centre; });
  return result;
}

// The statistic of each resample; `estimate` is that of the data.
std::vector<double> resampled(std::span<const double> x,
                              ResampledStatistic statistic,
                              double estimate,
                              const BootstrapPlan& plan) {
  RandomWords words(plan.seed);
  std::vector<double> values(plan.resamples);
  if (statistic == ResampledStatistic::kMean) {
    const SumSampler sampler(deviations(x, estimate));
    const auto n = static_cast<double>(x.size());
    for (double& value : values) {
      value = estimate + sampler.draw(words).sum / n;
    }
    return values;
  }
  std::vector<double> resample(x.size());
  for (double& value : values) {
    draw_values(x, words, resample);
    std::sort(resample.begin(), resample.end());
    value = sorted_quantile(resample, 0.5);
  }
  return values;
}

// Checks, estimate and the cases without resampling; status is ok where resampling is due.
BootstrapInterval begin(std::span<const double> x,
                        ResampledStatistic statistic,
                        const BootstrapPlan& plan) {
  BootstrapInterval result;
  result.plan = plan;
  result.n = x.size();
  if (!all_finite(x) || !is_valid(plan)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (x.empty()) {
    return result;
  }
  const Moments m = moments(x);
  if (!std::isfinite(m.mean) || !std::isfinite(m.variance)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  result.estimate = statistic_of(x, statistic);
  if (x.size() < 2) {
    return result;
  }
  if (m.is_constant) {
    result.status = Status::kZeroVariance;
    result.lo = result.estimate;
    result.hi = result.estimate;
    return result;
  }
  result.status = Status::kOk;
  return result;
}

void put_ends(BootstrapInterval& result, const std::optional<TailEnds>& ends) {
  result.status = ends ? Status::kOk : Status::kUnattainable;
  if (ends) {
    result.lo = ends->lo;
    result.hi = ends->hi;
  }
}

// sum d^3 / (6 (sum d^2)^1.5), d = mean of the leave-one-out statistics minus each; absent when
// they are all equal.
std::optional<double> jackknife_acceleration(std::span<const double> x,
                                             ResampledStatistic statistic) {
  std::vector<double> left_out(x.size());
  std::vector<double> others(x.begin() + 1, x.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    left_out[i] = statistic_of(others, statistic);
    if (i < others.size()) {
      others[i] = x[i];
    }
  }
  const Moments m = moments(left_out);
  if (m.is_constant) {
    return std::nullopt;
  }
  double squares = 0.0;
  double cubes = 0.0;
  for (const double value : left_out) {
    const double d = m.mean - value;
    squares += d * d;
    cubes += d * d * d;
  }
  return cubes / (6.0 * std::pow(squares, 1.5));
}

// Share of resamples below the estimate, ties counted half. A resample that reproduces the
// estimate does so up to the rounding of its sum.
double share_below(std::span<const double> values, double estimate, std::span<const double> x) {
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  const double rounding =
      8.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(*least), std::abs(*most));
  std::size_t twice_below = 0;
  for (const double value : values) {
    const double shift = value - estimate;
    twice_below += static_cast<std::size_t>(shift < -rounding) +  // no branch: it would be random
                   static_cast<std::size_t>(shift <= rounding);
  }
  return static_cast<double>(twice_below) / (2.0 * static_cast<double>(values.size()));
}

// (m* - m)/se* of each resample; +/- infinity where all draws are one value.
std::vector<double> studentised_resamples(std::span<const double> x,
                                          double mean,
                                          const BootstrapPlan& plan) {
  RandomWords words(plan.seed);
  const std::vector<double> centred = deviations(x, mean);
  const SumSampler sampler(centred);
  const auto n = static_cast<double>(x.size());
  const double rounding = 4.0 * n * std::numeric_limits<double>::epsilon();
  std::vector<double> t(plan.resamples);
  for (double& value : t) {
    const Sums sums = sampler.draw(words);
    const double shift = sums.sum / n;
    const double squares = sums.squares - sums.sum * shift;
    value = squares > rounding * sums.squares
                ? shift / std::sqrt(squares / (n * (n - 1.0)))
                : std::copysign(std::numeric_limits<double>::infinity(), shift);
  }
  return t;
}

}  // namespace

BootstrapInterval bootstrap_percentile(std::span<const double> x,
                                       ResampledStatistic statistic,
                                       const BootstrapPlan& plan) {
  BootstrapInterval result = begin(x, statistic, plan);
  if (result.status != Status::kOk) {
    return result;
  }
  const std::vector<double> values = resampled(x, statistic, *result.estimate, plan);
  const double tail = (1.0 - plan.level) / 2.0;
  put_ends(result, cut_tails(values, tail, tail));
  return result;
}

BootstrapInterval bootstrap_percentile_ratio(std::span<const double> a,
                                             std::span<const double> b,
                                             const BootstrapPlan& plan) {
  BootstrapInterval result;
  result.plan = plan;
  result.n = std::min(a.size(), b.size());
  if (!all_positive(a) || !all_positive(b) || !is_valid(plan)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (a.empty() || b.empty()) {
    return result;
  }
  const Moments m_a = moments(a);
  const Moments m_b = moments(b);
  result.estimate = m_a.mean / m_b.mean;
  if (result.n < 2) {
    return result;
  }
  if (m_a.is_constant && m_b.is_constant) {
    result.status = Status::kZeroVariance;
    result.lo = result.estimate;
    result.hi = result.estimate;
    return result;
  }
  RandomWords words(plan.seed);
  const SumSampler of_a(a);
  const SumSampler of_b(b);
  const double scale = static_cast<double>(b.size()) / static_cast<double>(a.size());
  std::vector<double> ratios(plan.resamples);
  for (double& ratio : ratios) {
    const double above = of_a.draw(words).sum;
    ratio = scale * above / of_b.draw(words).sum;
  }
  const double tail = (1.0 - plan.level) / 2.0;
  put_ends(result, cut_tails(ratios, tail, tail));
  return result;
}

BootstrapInterval bootstrap_bca(std::span<const double> x,
                                ResampledStatistic statistic,
                                const BootstrapPlan& plan) {
  BootstrapInterval result = begin(x, statistic, plan);
  if (result.status != Status::kOk) {
    return result;
  }
  result.acceleration = jackknife_acceleration(x, statistic);
  if (!result.acceleration) {
    result.status = Status::kDegenerate;
    return result;
  }
  const std::vector<double> values = resampled(x, statistic, *result.estimate, plan);
  const double below = share_below(values, *result.estimate, x);
  if (!(below > 0.0 && below < 1.0)) {
    result.status = Status::kUnattainable;
    return result;
  }
  result.z0 = normal_quantile(below);
  const double z = normal_quantile((1.0 - plan.level) / 2.0);
  const auto moved = [&](double end) {
    const double shifted = *result.z0 + end;
    return *result.z0 + shifted / (1.0 - *result.acceleration * shifted);
  };
  result.p_lo = normal_lower_tail(moved(z));
  result.p_hi = normal_lower_tail(moved(-z));
  put_ends(result, cut_tails(values, *result.p_lo, 1.0 - *result.p_hi));
  return result;
}

BootstrapInterval bootstrap_t(std::span<const double> x, const BootstrapPlan& plan) {
  BootstrapInterval result = begin(x, ResampledStatistic::kMean, plan);
  if (result.status != Status::kOk) {
    return result;
  }
  const std::vector<double> t = studentised_resamples(x, *result.estimate, plan);
  const double tail = (1.0 - plan.level) / 2.0;
  const std::optional<TailEnds> ends = cut_tails(t, tail, tail);
  if (!ends || !std::isfinite(ends->lo) || !std::isfinite(ends->hi)) {
    result.status = Status::kUnattainable;
    return result;
  }
  const double se = std::sqrt(moments(x).variance / static_cast<double>(x.size()));
  result.lo = *result.estimate - ends->hi * se;
  result.hi = *result.estimate - ends->lo * se;
  return result;
}

}  // namespace scalestudy::stats
