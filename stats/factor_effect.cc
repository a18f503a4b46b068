#include "stats/factor_effect.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/check.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

// An estimate of a contrast of log ratios: standard error and degrees of freedom; se is 0 where
// there is no spread.
struct Error {
  double se = 0.0;
  double df = 0.0;
};

// The weights of a contrast: that of `one` is 1, of the others -1 / (count - 1).
std::vector<double> weights_apart(std::size_t one, std::size_t count) {
  std::vector<double> weights(count, -1.0 / static_cast<double>(count - 1));
  weights[one] = 1.0;
  return weights;
}

// By the delta method ln of a mean moves with value / mean: those of a block are added up before
// their spread is taken.
Error blocked_error(std::span<const CrossedPair> pairs, const std::vector<double>& weights) {
  const std::size_t blocks = pairs.front().a.size();
  std::vector<double> moves(blocks, 0.0);
  double scale = 0.0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double mean_a = *mean(pairs[i].a);
    const double mean_b = *mean(pairs[i].b);
    for (std::size_t k = 0; k < blocks; ++k) {
      moves[k] += weights[i] * (pairs[i].a[k] / mean_a - pairs[i].b[k] / mean_b);
      scale = std::max({scale, pairs[i].a[k] / mean_a, pairs[i].b[k] / mean_b});
    }
  }
  const auto [least, greatest] = std::ranges::minmax_element(moves);
  const auto count = static_cast<double>(blocks);
  return *greatest - *least <= 4.0 * std::numeric_limits<double>::epsilon() * scale
             ? Error{}
             : Error{.se = std::sqrt(moments(moves).variance / count), .df = count - 1.0};
}

Error independent_error(std::span<const CrossedPair> pairs, const std::vector<double>& weights) {
  double variance = 0.0;
  double parts = 0.0;  // Satterthwaite's: squares over degrees of freedom
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (const std::vector<double>* side : {&pairs[i].a, &pairs[i].b}) {
      const Moments of = moments(*side);
      const auto count = static_cast<double>(side->size());
      const double part = weights[i] * weights[i] * of.variance / (of.mean * of.mean) / count;
      variance += part;
      parts += part * part / (count - 1.0);
    }
  }
  return variance > 0.0 ? Error{.se = std::sqrt(variance), .df = variance * variance / parts}
                        : Error{};
}

// Whether every pair can be tested; sets the counts, the ratios and their geometric mean, or why
// there are none.
bool begin(FactorEffect& effect, std::span<const CrossedPair> pairs, bool is_blocked) {
  RatioInterval& ratio = effect.ratio;
  bool has_values = !pairs.empty();
  bool is_testable = has_values;
  for (const CrossedPair& pair : pairs) {
    if (!all_positive(pair.a) || !all_positive(pair.b) ||
        (is_blocked &&
         (pair.a.size() != pair.b.size() || pair.a.size() != pairs.front().a.size()))) {
      ratio.status = Status::kInvalidInput;
      return false;
    }
    ratio.n_a = is_blocked ? pair.a.size() : ratio.n_a + pair.a.size();
    ratio.n_b = is_blocked ? pair.b.size() : ratio.n_b + pair.b.size();
    has_values = has_values && !pair.a.empty() && !pair.b.empty();
    is_testable = is_testable && pair.a.size() >= 2 && pair.b.size() >= 2;
  }
  if (!has_values) {
    return false;
  }
  double logarithms = 0.0;
  for (const CrossedPair& pair : pairs) {
    effect.ratios.push_back(*mean(pair.a) / *mean(pair.b));
    logarithms += std::log(effect.ratios.back());
  }
  ratio.ratio = std::exp(logarithms / static_cast<double>(pairs.size()));
  return is_testable;
}

}  // namespace

FactorEffect factor_effect(std::span<const CrossedPair> pairs, bool is_blocked, double level) {
  FactorEffect effect;
  RatioInterval& ratio = effect.ratio;
  ratio.level = level;
  if (!is_level(level)) {
    ratio.status = Status::kInvalidInput;
    return effect;
  }
  if (!begin(effect, pairs, is_blocked)) {
    return effect;
  }
  const auto error_of = is_blocked ? blocked_error : independent_error;
  const std::size_t count = pairs.size();
  const Error error = error_of(pairs, std::vector<double>(count, 1.0 / static_cast<double>(count)));
  complete_ratio(ratio, error.se, error.df);
  for (std::size_t i = 0; ratio.status == Status::kOk && count > 1 && i < count; ++i) {
    const std::vector<double> weights = weights_apart(i, count);
    double logarithm = 0.0;
    for (std::size_t j = 0; j < count; ++j) {
      logarithm += weights[j] * std::log(effect.ratios[j]);
    }
    RatioInterval apart;
    apart.level = level;
    apart.n_a = ratio.n_a;
    apart.n_b = ratio.n_b;
    apart.ratio = std::exp(logarithm);
    const Error of_apart = error_of(pairs, weights);
    complete_ratio(apart, of_apart.se, of_apart.df);
    effect.apart.push_back(apart);
  }
  return effect;
}

}  // namespace scalestudy::stats
