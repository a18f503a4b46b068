// Repeated studies of synthetic curves: thresholds and scaling laws whose truth is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

// Four curves in u = ln x; each crosses ln 1 at the x asked for.
enum class Curve {
  kLinear,      // 0.4 per e-fold
  kRealistic,   // S = N/(1 + K/x), N = 8
  kSaturating,  // S = 1.3 (1 - exp(-x/c))
  kShallow,     // 0.04 per e-fold
};
inline constexpr Curve kCurves[] = {
    Curve::kLinear, Curve::kRealistic, Curve::kSaturating, Curve::kShallow};
std::string_view name_of(Curve curve);

// ln of the speedup at x when the curve crosses 1 at `crossing`.
double log_speedup(Curve curve, double x, double crossing);

inline constexpr int kTestedValues = 7;  // each at twice the x of the one before
inline constexpr double kLadderLow = 8.0;
inline constexpr double kLadderHigh = 512.0;

struct ThresholdTally {
  Tally curvature;         // set_curvature holds the crossing
  Tally linear;            // set_linear does
  Tally bracket;           // so does the bracket; an absent end is open
  Tally two_sided;         // both ends of the bracket exist
  Tally crossed;           // status
  Tally unresolved;        // status
  std::size_t found = 0;   // studies whose set_curvature is not empty
  double log_width = 0.0;  // mean ln(hi/lo) of their hulls
};

// Trials of 2 % (sd of the logarithm) an arm, own base per tested value. `crossing` <= 0: drawn
// anew in every study, uniform in ln x over [16, 256].
ThresholdTally run_thresholds(
    Curve curve, std::size_t trials, double crossing, std::size_t replicates, std::uint64_t seed);

// Intervals of the parameters of fits to N = 1, 2, 4, 8, 16 with trials of 2 %.
struct LawTally {
  Tally sigma;  // USL, true 0.05
  Tally kappa;  // USL, true 0.01; fits with kappa at its bound have no interval
  Tally kappa_at_bound;
  Tally serial;  // Amdahl, true 0.05
};
LawTally run_laws(std::size_t trials, std::size_t replicates, std::uint64_t seed);

// Intervals of latency and bandwidth fitted to seven sizes from 8 B to 64 MiB, trials of 2 %.
struct LineTally {
  Tally alpha;      // true 5 us
  Tally bandwidth;  // true 2 GB/s
};
LineTally run_lines(std::size_t trials, std::size_t replicates, std::uint64_t seed);

}  // namespace scalestudy::test
