#include "stats/race.h"

#include <algorithm>
#include <cmath>

#include "stats/block_effects.h"
#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/least_count.h"

namespace scalestudy::stats {
namespace {

// Of the paired t test and of the two one-sided tests, whichever has less.
double least_power(std::size_t blocks, double sd, double log_ratio, double alpha) {
  const double df = static_cast<double>(blocks) - 1.0;
  const double se = sd * std::sqrt(2.0 / static_cast<double>(blocks));
  // Beyond this the power is 1 but for two or three blocks, and a noncentral t slow and inexact.
  constexpr double most_effect = 30.0;
  const double effect = std::min(log_ratio / se, most_effect);
  const double detected = noncentral_t_upper_tail(student_t_critical(1.0 - alpha, df), df, effect);
  const double one_sided = student_t_critical(1.0 - 2.0 * alpha, df);
  return std::min(detected, 1.0 - 2.0 * student_t_upper_tail(effect - one_sided, df));
}

}  // namespace

RaceStandings race_standings(std::span<const double> y,
                             std::span<const std::int64_t> setting,
                             std::span<const std::int64_t> block) {
  RaceStandings result;
  const BlockAdjusted adjusted = take_out_blocks(y, setting, block);
  result.status = adjusted.status;
  if (adjusted.status != Status::kOk) {
    return result;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    RaceStanding& standing = result.of[setting[i]];
    ++standing.n;
    standing.level += (adjusted.values[i] - standing.level) / static_cast<double>(standing.n);
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double rest = adjusted.values[i] - result.of[setting[i]].level;
    squares += rest * rest;
  }
  const std::size_t taken = result.of.size() + adjusted.df;
  if (y.size() > taken && squares > 0.0) {
    result.sd = std::sqrt(squares / static_cast<double>(y.size() - taken));
  }
  return result;
}

std::size_t halving_rounds(std::size_t settings) {
  std::size_t rounds = 0;
  for (; settings > 1; settings = (settings + 1) / 2) {
    ++rounds;
  }
  return rounds;
}

std::size_t halving_blocks(double budget, double block, std::size_t settings) {
  const auto rounds = static_cast<double>(std::max<std::size_t>(halving_rounds(settings), 1));
  const double blocks = std::floor(budget / (rounds * block));
  constexpr double most = 1e6;
  return blocks >= 1.0 ? static_cast<std::size_t>(std::min(blocks, most)) : 1;
}

std::size_t blocks_to_lead(double sd, double rel_diff, double chance) {
  if (!is_positive(sd) || !is_positive(rel_diff) || !(chance > 0.5 && chance < 1.0)) {
    return 0;
  }
  const double ratio = normal_quantile(chance) * sd / std::log1p(rel_diff);
  constexpr double most = 1e6;
  return static_cast<std::size_t>(std::clamp(std::ceil(2.0 * ratio * ratio), 1.0, most));
}

std::optional<std::size_t> blocks_to_confirm(double sd,
                                             double rel_diff,
                                             double alpha,
                                             double power) {
  if (!is_positive(sd) || !is_positive(rel_diff) || !is_level(power) ||
      !(alpha > 0.0 && alpha < 0.5)) {
    return std::nullopt;
  }
  constexpr std::size_t most = 1'000'000;
  return least_count(most, [&](std::size_t blocks) {
    return least_power(blocks, sd, std::log1p(rel_diff), alpha) >= power;
  });
}

}  // namespace scalestudy::stats
