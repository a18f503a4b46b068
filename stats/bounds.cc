#include "stats/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalestudy::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Scale {
  double (*of)(double x);
  double (*slope)(double x);
  double (*back)(double y);
  double (*room)(double x);  // from x to the nearest bound
  double most;
};

const Scale& scale_of(Range range) {
  static const Scale positive{.of = [](double x) { return std::log(x); },
                              .slope = [](double x) { return 1.0 / x; },
                              .back = [](double y) { return std::exp(y); },
                              .room = [](double x) { return x; },
                              .most = kInfinity};
  static const Scale share{.of = [](double x) { return std::log(x / (1.0 - x)); },
                           .slope = [](double x) { return 1.0 / (x * (1.0 - x)); },
                           .back = [](double y) { return 1.0 / (1.0 + std::exp(-y)); },
                           .room = [](double x) { return std::min(x, 1.0 - x); },
                           .most = 1.0};
  static const Scale percent{.of = [](double x) { return std::log(x / (100.0 - x)); },
                             .slope = [](double x) { return 100.0 / (x * (100.0 - x)); },
                             .back = [](double y) { return 100.0 / (1.0 + std::exp(-y)); },
                             .room = [](double x) { return std::min(x, 100.0 - x); },
                             .most = 100.0};
  static const Scale below_one{.of = [](double x) { return -std::log(1.0 - x); },
                               .slope = [](double x) { return 1.0 / (1.0 - x); },
                               .back = [](double y) { return 1.0 - std::exp(-y); },
                               .room = [](double x) { return 1.0 - x; },
                               .most = 1.0};
  return range == Range::kShare      ? share
         : range == Range::kPercent  ? percent
         : range == Range::kBelowOne ? below_one
                                     : positive;
}

// Whether the interval is wide enough for the scale to matter.
bool needs_scale(const Estimate& x, Range range) {
  if (range == Range::kAny || !x.value || !x.hi) {
    return false;
  }
  const double room = scale_of(range).room(*x.value);
  return room > 0.0 && *x.hi - *x.value > 0.1 * room;
}

}  // namespace

double upper_bound(Range range) {
  return scale_of(range).most;
}

Estimate keep_inside(const Estimate& x, Range range) {
  if (!needs_scale(x, range)) {
    return x;
  }
  const Scale& scale = scale_of(range);
  const double centre = scale.of(*x.value);
  const double half_width = (*x.hi - *x.value) * scale.slope(*x.value);
  Estimate kept = x;
  kept.lo = scale.back(centre - half_width);
  kept.hi = scale.back(centre + half_width);
  for (std::optional<double>* end : {&kept.lo, &kept.hi}) {
    *end = std::isfinite(**end) ? *end : std::nullopt;
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
  if (range != Range::kBelowOne && level <= 0.0) {
    return kInfinity;
  }
  const Scale& scale = scale_of(range);
  if (level >= scale.most) {
    return -kInfinity;
  }
  return (scale.of(*x.value) - scale.of(level)) / (half_width * scale.slope(*x.value));
}

Estimate cut(const Estimate& x, double least, double most) {
  const auto moved = [&](std::optional<double> end) {
    return end ? std::optional(std::clamp(*end, least, most)) : std::nullopt;
  };
  return {.value = moved(x.value), .lo = moved(x.lo), .hi = moved(x.hi)};
}

}  // namespace scalestudy::stats
