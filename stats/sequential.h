// Tests and intervals at several looks at growing data, whose error rates hold over all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

struct LookLevels {
  Status status = Status::kInvalidInput;
  // Two-sided, one a look: whoever calls a difference at the first look whose p value is at most
  // its level errs with probability alpha over all looks; intervals at 1 - level hold at all looks
  // at once with probability 1 - alpha.
  std::vector<double> levels;
};

// Alpha spending: the look after n trials has spent the share ln(1 + (e - 1) n / planned) of
// `alpha`.
//
//   looks    trials at each look so far, >= 1, strictly rising; the present look is the last. When
//            looks are made must not depend on what was seen at earlier ones.
//   planned  trials at the planned end, >= the last look.
//   status   invalid_input, without levels: alpha outside (0, 1), or looks that break these rules.
//
// Exact for normal means of known variance; the level of a t test at the same look is used alike
// (5.0 to 5.5 % for 5 % with looks from 8 trials on: METHODS.md, Looks).
// Source: Lan & DeMets 1983 (the Pocock-like function); Armitage, McPherson & Rowe 1969 (the
// recursion); Jennison & Turnbull 1989 (repeated intervals).
LookLevels look_levels(double alpha, std::span<const std::size_t> looks, std::size_t planned);

// p values of the last of `looks`, adjusted for all of them: the smallest alpha at which
// look_levels would have called that p. Compare with alpha, and adjust for a family, as any p.
class LookAdjustment {
 public:
  LookAdjustment(std::span<const std::size_t> looks, std::size_t planned);

  // The adjusted p of a two-sided or one-sided p in [0, 1]: at least p itself, and at least 1e-15.
  // NaN for any other p and for invalid looks.
  [[nodiscard]] double two_sided(double p) const;
  [[nodiscard]] double one_sided(double p) const;

  // The level of the last look's two-sided p whose adjusted p is `alpha` in (0, 1): the inverse of
  // two_sided(). NaN for invalid looks.
  [[nodiscard]] double level(double alpha) const;

 private:
  std::vector<double> log_alpha_;  // falling
  std::vector<double> log_level_;  // ln of the last look's level, for each of log_alpha_
};

}  // namespace scalestudy::stats
