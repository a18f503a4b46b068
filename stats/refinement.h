// Where to test next along a curve, so that its crossing is known within a width.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/threshold.h"

namespace scalestudy::stats {

struct RefineGoal {
  double width = 0.05;   // of the interval: 0.05 is +-2.5 % of its middle; in (0, 1)
  std::size_t most = 4;  // values that may still be added
  double grid = 1.0;     // new values are multiples of it; > 0
};

enum class Refinement {
  kNext,        // test `next`
  kReached,     // the interval is as narrow as asked for
  kMostValues,  // no further value is allowed
  kGrid,        // no untested multiple of the grid lies inside the bracket
  kNoise,       // a value more would not help: what is left is noise
  kOutside,     // no crossing inside what was tested
  kNoBracket,   // one may be, but the values on either side of it are not resolved
};

struct RefineStep {
  Refinement step = Refinement::kNoBracket;
  std::optional<double> next;         // kNext alone
  std::optional<double> width;        // of the interval now, as RefineGoal; absent: none is known
  std::optional<std::size_t> trials;  // of a value, that the width takes; absent: without a
                                      // bracket, without spread, or beyond 10^9
};

// One step of the search. It looks at places and widths, never at whether a single value is
// resolved before it is enough measured: a rule that went on until signs resolve made brackets
// cover 95.0 % instead of 99.5.
//
//   values, threshold  of threshold_piecewise, of a curve without gaps of more than a factor of 2
//                      (is_ladder).
//   tried   every x that was tried, in any order, those without a usable value among them.
//   level   of the threshold.
//   next    the multiple of the grid nearest to the geometric middle of the bracket, where that was
//           tried the one on its other side.
//   trials  sample_size_ci of sd / slope for half the width in ln x: sd of a value's
//           trials (se sqrt(df + 1), root mean square inside the bracket), slope between the ends
//           of the bracket. What the interval takes when a value lies at the crossing; curvature
//           not counted.
//   source  METHODS.md, Curves.
RefineStep refine(std::span<const TestedValue> values,
                  const Threshold& threshold,
                  std::span<const double> tried,
                  double level,
                  const RefineGoal& goal);

}  // namespace scalestudy::stats
