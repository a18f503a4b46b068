#include "stats/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalestudy::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double on_scale(Range range, double x) {
  return range == Range::kShare ? std::log(x / (1.0 - x)) : std::log(x);
}

double slope_of_scale(Range range, double x) {
  return range == Range::kShare ? 1.0 / (x * (1.0 - x)) : 1.0 / x;
}

double from_scale(Range range, double y) {
  return range == Range::kShare ? 1.0 / (1.0 + std::exp(-y)) : std::exp(y);
}

// Whether the interval is wide enough for the scale to matter.
bool needs_scale(const Estimate& x, Range range) {
  if (range == Range::kAny || !x.value || !x.hi) {
    return false;
  }
  const double room = range == Range::kShare ? std::min(*x.value, 1.0 - *x.value) : *x.value;
  return room > 0.0 && *x.hi - *x.value > 0.1 * room;
}

}  // namespace

Estimate keep_inside(const Estimate& x, Range range) {
  if (!needs_scale(x, range)) {
    return x;
  }
  const double centre = on_scale(range, *x.value);
  const double half_width = (*x.hi - *x.value) * slope_of_scale(range, *x.value);
  Estimate kept = x;
  kept.lo = from_scale(range, centre - half_width);
  kept.hi = from_scale(range, centre + half_width);
  if (!std::isfinite(*kept.hi)) {
    kept.hi.reset();
  }
  return kept;
}

std::optional<double> half_widths_above(const Estimate& x, Range range, double level) {
  if (!x.value || !x.hi) {
    return std::nullopt;
  }
  const double half_width = *x.hi - *x.value;
  if (!needs_scale(x, range)) {
    return *x.value == level ? 0.0 : (*x.value - level) / half_width;
  }
  if (level <= 0.0) {
    return kInfinity;
  }
  if (range == Range::kShare && level >= 1.0) {
    return -kInfinity;
  }
  return (on_scale(range, *x.value) - on_scale(range, level)) /
         (half_width * slope_of_scale(range, *x.value));
}

Estimate cut(const Estimate& x, double least, double most) {
  const auto moved = [&](std::optional<double> end) {
    return end ? std::optional(std::clamp(*end, least, most)) : std::nullopt;
  };
  return {.value = moved(x.value), .lo = moved(x.lo), .hi = moved(x.hi)};
}

}  // namespace scalestudy::stats
