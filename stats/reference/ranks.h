// Rank methods: stochastic order of two cells, not their means.
#pragma once

#include <optional>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

enum class RankP {
  kAutomatic,    // exact without ties and up to 10^4 pairs, else normal
  kNormal,       // tie and continuity correction
  kPermutation,  // exact given the ties; up to 10^4 pairs, beyond that no p (unattainable)
};

struct MannWhitney {
  Status status = Status::kInsufficientData;
  std::optional<double> u_a;  // pairs with a > b, ties count half
  std::optional<double> u_b;
  std::optional<double> p;                 // two-sided
  std::optional<double> min_attainable_p;  // of the exact test without ties: 2 / C(n_a + n_b, n_a)
};

// Mann-Whitney U test, one value per trial. invalid_input: not finite; insufficient_data: an empty
// side; all_tied: every value equal, p = 1. Three trials a side can never reach 0.05: print
// min_attainable_p.
MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b, RankP method);

struct HodgesLehmann {
  Status status = Status::kInsufficientData;
  std::optional<double> estimate;  // median of all a_i - b_j
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> coverage;      // achieved, >= level
  std::optional<double> max_coverage;  // of [least, greatest difference]
};

// Shift of a against b with its interval from the exact distribution of U; logarithms in, exp out,
// for a ratio. unattainable: even the widest interval covers less than level (3 + 3 at 95 %), or
// more than 10^4 pairs; the estimate is given. Source: Hodges & Lehmann 1963.
HodgesLehmann hodges_lehmann(std::span<const double> a, std::span<const double> b, double level);

struct CliffsDelta {
  Status status = Status::kInsufficientData;
  std::optional<double> delta;  // mean sign(a_i - b_j)
  std::optional<double> a12;    // P(a > b) + P(a = b) / 2
};

// Cliff's delta, descriptive only: with 5 trials or fewer it saturates at -1 and 1. Source: Cliff
// 1993.
CliffsDelta cliffs_delta(std::span<const double> a, std::span<const double> b);

}  // namespace scalestudy::stats
