// Break-even: the x at which a measured curve crosses a target.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

enum class Direction { kIncreasing, kDecreasing, kAny };

// One tested x and the quantity measured there. Tested values are independent: each has its own
// base cell.
struct TestedValue {
  double x = 0.0;   // batch, parameters, sequence length ...; > 0
  double g = 0.0;   // ln of the quantity, e.g. ln speedup
  double se = 0.0;  // standard error of g, >= 0
  double df = 0.0;  // its degrees of freedom, > 0
  // Level at which this value is above or below the target, in [0, 1); 0: that of the curve.
  double level = 0.0;
};

// An interval of x.
struct Piece {
  double lo = 0.0;
  double hi = 0.0;
};

struct Bracket {
  std::optional<double> lo;  // a tested x; absent: open to this side
  std::optional<double> hi;
};

struct Threshold {
  // crossed, crossed_down, always, not_reached, multiple, unresolved; insufficient_data: fewer
  // than 2 values; invalid_input: x not > 0 and strictly increasing, se < 0, df <= 0, not finite,
  // or level.
  Status status = Status::kInsufficientData;
  std::vector<int> signs;  // by value: +1 above the target, -1 below, 0 not resolved at the level
  Bracket bracket;         // between two tested values whose signs are resolved
  // The bracket, widened by the unresolved values beyond it: from the last of the resolved values
  // that begin the curve to the first of those that end it. An end is absent if the curve does not
  // begin or end with a resolved value. Equal to `bracket` if nothing is crossed, or if the curve
  // crosses more than once.
  Bracket span;
  std::optional<double> estimate;    // zero of the isotonic interpolant; crossed, crossed_down
  std::vector<double> crossings;     // every zero of the plain interpolant in ln x
  std::vector<Piece> set_linear;     // x not rejected if the curve is straight between values
  std::vector<Piece> set_curvature;  // the same, allowing for curvature: the one to print
  bool censored_low = false;         // set_curvature touches the smallest tested x
  bool censored_high = false;        // set_curvature touches the largest tested x
};

// Bracket, estimate and test-inversion sets for g(x) = target.
//
//   values     in increasing x.
//   target     ln of the target: 0 for a speedup of 1.
//   level      in (0, 1), of each sign and of the sets, where a value has no level of its own.
//   direction  what the study declared; only orients the bracket of an unresolved curve.
//   source     METHODS.md, Curves.
Threshold threshold_piecewise(std::span<const TestedValue> values,
                              double target,
                              double level,
                              Direction direction);

inline constexpr std::size_t kLeastOfLadder = 5;  // tested values

// Whether the values allow an interval of the crossing: at least kLeastOfLadder, each at most twice
// the one before. Otherwise bracket and status hold, but the sets do not (METHODS.md, coverage).
bool is_ladder(std::span<const TestedValue> values);

// Whether the curve crosses between the first two or the last two values, perhaps among other
// places: its bend is known from one side only there, and the sets do not hold.
bool is_at_end(const Threshold& threshold, std::span<const TestedValue> values);

}  // namespace scalestudy::stats
