// Keeps intervals of bounded quantities (times, rates, shares) within their bounds.
#pragma once

#include <optional>

#include "stats/estimate.h"

namespace scalestudy::stats {

enum class Range {
  kAny,
  kPositive,
  kShare,     // between 0 and 1
  kPercent,   // a share in %
  kBelowOne,  // a share less costs: it may be negative
};

// The largest value in the range; infinite where there is none.
double upper_bound(Range range);

// Ends that stay inside the range: lo and hi themselves where the half-width is at most a tenth of
// the way from the value to the nearest bound, else those of the same t interval on the scale ln x;
// ln x/(1-x) of a share; -ln(1-x) below one. A value that is not inside keeps its ends.
//
//   x       value, lo and hi of a t interval.
//   source  METHODS.md, One cell.
Estimate keep_inside(const Estimate& x, Range range);

// How many half-widths (hi - value) of an interval of keep_inside() the value lies above `level`,
// on the scale of that interval; infinite if the level is outside the range. Absent without an
// interval.
std::optional<double> half_widths_above(const Estimate& x, Range range, double level);

// Moves a value and its ends into [least, most], for a parameter that can equal its bound, such as
// a serial fraction of 0.
Estimate cut(const Estimate& x, double least, double most);

}  // namespace scalestudy::stats
