// Chooses the next value to test along a curve, so that its crossing is known within a width.
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
  kNoise,       // another value would not help: what is left is noise
  kOutside,     // no crossing inside the tested range
  kNoBracket,   // there may be a crossing, but the values on either side of it are not resolved
};

struct RefineStep {
  Refinement step = Refinement::kNoBracket;
  std::optional<double> next;   // the value to test; for kNext only
  std::optional<double> width;  // of the present interval, as in RefineGoal; absent without one
  // What noise alone leaves of it, for kNoise where this is most of it; absent where tested values
  // are nearer to each other than that.
  std::optional<double> noise;
  // Trials that each value needs for the width; absent without a bracket, without spread, or beyond
  // 10^9.
  std::optional<std::size_t> trials;
};

// One step of the search. It looks at places and widths, never at whether a value is resolved
// before it has all its trials: a rule that went on until signs resolve put brackets in the wrong
// place (METHODS.md, G20). Source: METHODS.md, Curves.
// - values, threshold: of threshold_piecewise, for a curve without gaps of more than a factor of 2
//   (is_ladder).
// - tried: every x that was tried, in any order, including those without a usable value.
// - level: of the threshold.
// - next: the multiple of the grid nearest to the geometric middle of the bracket; if that was
//   tried, the one on its other side.
// - trials: sample_size_ci of sd / slope for half the width in ln x. sd is that of a value's trials
//   (se sqrt(df + 1), root mean square inside the bracket), slope that between the ends of the
//   bracket. It is what the interval needs if a value lies at the crossing, without curvature.
RefineStep refine(std::span<const TestedValue> values,
                  const Threshold& threshold,
                  std::span<const double> tried,
                  double level,
                  const RefineGoal& goal);

}  // namespace scalestudy::stats
