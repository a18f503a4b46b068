#include "stats/checkpoint_interval.h"

#include <cmath>

namespace scalestudy::stats {
namespace {

bool is_time(double value) {
  return std::isfinite(value) && value > 0.0;
}

bool is_none_or_time(double value) {
  return value == 0.0 || is_time(value);
}

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<double> young_interval(double save_s, double mtbf_s) {
  return is_time(save_s) && is_time(mtbf_s) && save_s < mtbf_s / 2.0
             ? std::optional(std::sqrt(2.0 * save_s * mtbf_s))
             : std::nullopt;
}

std::optional<double> daly_interval(double save_s, double mtbf_s) {
  if (!is_time(save_s) || !is_time(mtbf_s) || save_s >= 2.0 * mtbf_s) {
    return std::nullopt;
  }
  const double share = save_s / (2.0 * mtbf_s);
  return std::sqrt(2.0 * save_s * mtbf_s) * (1.0 + std::sqrt(share) / 3.0 + share / 9.0) - save_s;
}

std::optional<double> expected_overhead(double save_s,
                                        double restart_s,
                                        double interval_s,
                                        double mtbf_s) {
  if (!is_time(save_s) || !is_none_or_time(restart_s) || !is_time(interval_s) || !is_time(mtbf_s)) {
    return std::nullopt;
  }
  // Of a piece of work with its save; expm1, as failures are rare.
  const double piece_s =
      mtbf_s * std::exp(restart_s / mtbf_s) * std::expm1((interval_s + save_s) / mtbf_s);
  return if_finite(piece_s / interval_s - 1.0);
}

std::optional<double> announced_overhead(double restart_s, double mtbf_s) {
  return is_none_or_time(restart_s) && is_time(mtbf_s) ? if_finite(std::expm1(restart_s / mtbf_s))
                                                       : std::nullopt;
}

}  // namespace scalestudy::stats
