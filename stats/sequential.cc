#include "stats/sequential.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "stats/check.h"
#include "stats/distributions.h"

namespace scalestudy::stats {
namespace {

constexpr std::size_t kPoints = 201;  // odd, as Simpson's rule needs
constexpr double kFarthest = 12.0;    // standard deviations
constexpr double kLeastAlpha = 1e-15;
constexpr double kMostAlpha = 0.999;
constexpr int kAlphas = 60;

bool are_looks(std::span<const std::size_t> looks, std::size_t planned) {
  return !looks.empty() && looks.front() >= 1 && looks.back() <= planned &&
         std::ranges::adjacent_find(looks, std::greater_equal<>()) == looks.end();
}

double spent(double alpha, double fraction) {
  return alpha * std::log1p((std::numbers::e - 1.0) * fraction);
}

double upper_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
}

// Of the sum of n standard normal values, where no look up to now has called a difference: its
// density at kPoints equidistant points of [-edge, edge].
struct SumDensity {
  double edge = 0.0;
  std::vector<double> at = std::vector<double>(kPoints);

  [[nodiscard]] double point(std::size_t index) const {
    return edge * (2.0 * static_cast<double>(index) / static_cast<double>(kPoints - 1) - 1.0);
  }

  // Simpson's rule over f(point) times the density.
  template <typename Function>
  [[nodiscard]] double integrate(const Function& f) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double weight = i == 0 || i == kPoints - 1 ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
      sum += weight * at[i] * f(point(i));
    }
    return sum * 2.0 * edge / static_cast<double>(kPoints - 1) / 3.0;
  }
};

// z such that the sum first leaves [-z sqrt(n), z sqrt(n)] after `added` more values with this
// probability.
double critical(const SumDensity& before, double n, double added, double probability) {
  double low = 0.0;
  double high = kFarthest;
  for (int i = 0; i < 60; ++i) {
    const double z = 0.5 * (low + high);
    const double bound = z * std::sqrt(n);
    const double leaves = before.integrate([&](double sum) {
      return upper_tail((bound - sum) / std::sqrt(added)) +
             upper_tail((bound + sum) / std::sqrt(added));
    });
    (leaves > probability ? low : high) = z;
  }
  return 0.5 * (low + high);
}

SumDensity advance(const SumDensity& before, double edge, double added) {
  SumDensity after{.edge = edge};
  const double scale = 1.0 / std::sqrt(added);
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double to = after.point(i);
    after.at[i] = scale * before.integrate([&](double sum) { return density((to - sum) * scale); });
  }
  return after;
}

}  // namespace

LookLevels look_levels(double alpha, std::span<const std::size_t> looks, std::size_t planned) {
  LookLevels result;
  if (!is_level(alpha) || !are_looks(looks, planned)) {
    return result;
  }
  result.status = Status::kOk;
  SumDensity sums;
  double spent_before = 0.0;
  double trials_before = 0.0;
  for (const std::size_t look : looks) {
    const auto n = static_cast<double>(look);
    const double all = spent(alpha, n / static_cast<double>(planned));
    const double here = all - spent_before;
    const bool is_first = result.levels.empty();
    const double z =
        is_first ? -normal_quantile(here / 2.0) : critical(sums, n, n - trials_before, here);
    if (is_first) {
      sums.edge = z * std::sqrt(n);
      for (std::size_t i = 0; i < kPoints; ++i) {
        sums.at[i] = density(sums.point(i) / std::sqrt(n)) / std::sqrt(n);
      }
    } else {
      sums = advance(sums, z * std::sqrt(n), n - trials_before);
    }
    result.levels.push_back(2.0 * upper_tail(z));
    spent_before = all;
    trials_before = n;
  }
  return result;
}

LookAdjustment::LookAdjustment(std::span<const std::size_t> looks, std::size_t planned) {
  if (!are_looks(looks, planned)) {
    return;
  }
  for (int i = 0; i < kAlphas; ++i) {
    const double share = static_cast<double>(i) / (kAlphas - 1);
    const double alpha = kMostAlpha * std::pow(kLeastAlpha / kMostAlpha, share);
    log_alpha_.push_back(std::log(alpha));
    log_level_.push_back(std::log(look_levels(alpha, looks, planned).levels.back()));
  }
}

double LookAdjustment::two_sided(double p) const {
  if (!(p >= 0.0 && p <= 1.0) || log_alpha_.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double log_p = std::log(p);
  if (log_p >= log_level_.front()) {
    return 1.0;
  }
  if (log_p <= log_level_.back()) {
    return kLeastAlpha;
  }
  const auto above = static_cast<std::size_t>(
      std::distance(log_level_.begin(),
                    std::ranges::lower_bound(log_level_, log_p, std::greater<>())) -
      1);
  const double share = (log_level_[above] - log_p) / (log_level_[above] - log_level_[above + 1]);
  const double log_alpha = log_alpha_[above] + share * (log_alpha_[above + 1] - log_alpha_[above]);
  return std::max(p, std::exp(log_alpha));
}

double LookAdjustment::level(double alpha) const {
  if (log_alpha_.empty() || !is_level(alpha)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double log_alpha = std::clamp(std::log(alpha), log_alpha_.back(), log_alpha_.front());
  const auto upper = std::max<std::ptrdiff_t>(
      std::distance(log_alpha_.begin(),
                    std::ranges::lower_bound(log_alpha_, log_alpha, std::greater<>())),
      1);
  const auto below = static_cast<std::size_t>(upper);
  const double share =
      (log_alpha_[below - 1] - log_alpha) / (log_alpha_[below - 1] - log_alpha_[below]);
  return std::min(
      alpha, std::exp(log_level_[below - 1] + share * (log_level_[below] - log_level_[below - 1])));
}

double LookAdjustment::one_sided(double p) const {
  return p <= 0.5 ? 0.5 * two_sided(2.0 * p) : (p <= 1.0 ? 1.0 : two_sided(p));
}

}  // namespace scalestudy::stats
