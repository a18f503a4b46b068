#include "stats/threshold_set.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stats/distributions.h"

namespace scalestudy::stats {
namespace {

// One segment between neighbouring values; w in [0, 1] runs from the left one to the right one.
struct Segment {
  double u_left = 0.0;
  double width = 0.0;  // in ln x
  double g_left = 0.0;
  double g_right = 0.0;  // both relative to the target
  double v_left = 0.0;
  double v_right = 0.0;
  double t_left = 0.0;
  double t_right = 0.0;
  double bend = 0.0;  // h^2 M / 2

  // At most 0 where the crossing is not rejected.
  [[nodiscard]] double excess(double w) const {
    const double height = (1.0 - w) * g_left + w * g_right;
    const double variance = (1.0 - w) * (1.0 - w) * v_left + w * w * v_right;
    const double t = (1.0 - w) * t_left + w * t_right;
    return std::abs(height) - t * std::sqrt(variance) - w * (1.0 - w) * bend;
  }
};

// Second derivative of g in ln x at each tested value from its neighbours; 0 at the ends.
std::vector<double> second_derivatives(std::span<const TestedValue> values) {
  std::vector<double> d(values.size(), 0.0);
  for (std::size_t j = 1; j + 1 < values.size(); ++j) {
    const double before = std::log(values[j].x / values[j - 1].x);
    const double after = std::log(values[j + 1].x / values[j].x);
    d[j] = 2.0 *
           ((values[j + 1].g - values[j].g) / after - (values[j].g - values[j - 1].g) / before) /
           (before + after);
  }
  return d;
}

// The w in (inside, outside) where excess changes sign, by bisection.
double edge(const Segment& segment, double inside, double outside) {
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside) {
      break;
    }
    (segment.excess(middle) <= 0.0 ? inside : outside) = middle;
  }
  return inside;
}

// Points at which a segment is looked at. Its zero is among them: a steep, well measured crossing
// is narrower than any fixed grid.
std::vector<double> scan_points(const Segment& segment) {
  constexpr int intervals = 400;
  std::vector<double> points;
  for (int i = 0; i <= intervals; ++i) {
    points.push_back(static_cast<double>(i) / intervals);
  }
  if (segment.g_left * segment.g_right < 0.0) {
    points.push_back(segment.g_left / (segment.g_left - segment.g_right));
    std::sort(points.begin(), points.end());
  }
  return points;
}

// Pieces of one segment in w.
std::vector<Piece> pieces_in(const Segment& segment) {
  std::vector<Piece> pieces;
  bool was_inside = false;
  double previous = 0.0;
  for (const double w : scan_points(segment)) {
    const bool is_inside = segment.excess(w) <= 0.0;
    if (is_inside && !was_inside) {
      pieces.push_back({.lo = w > 0.0 ? edge(segment, w, previous) : 0.0, .hi = w});
    } else if (!is_inside && was_inside) {
      pieces.back().hi = edge(segment, previous, w);
    } else if (is_inside) {
      pieces.back().hi = w;
    }
    was_inside = is_inside;
    previous = w;
  }
  return pieces;
}

// Of an end: t of the segment, or where the value has a level of its own, which its sign rests on,
// that t if it alone keeps the resolved value out of the set.
double t_at(const TestedValue& value, double height, double t) {
  if (!(value.level > 0.0)) {
    return t;
  }
  const double own = student_t_critical(value.level, value.df);
  const double distance = std::abs(height);
  return distance > own * value.se && distance <= t * value.se ? own : t;
}

}  // namespace

std::vector<Piece> threshold_set(std::span<const TestedValue> values,
                                 double target,
                                 double level,
                                 Interpolant interpolant) {
  const std::vector<double> curvature = second_derivatives(values);
  std::vector<Piece> set;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const TestedValue& left = values[i];
    const TestedValue& right = values[i + 1];
    Segment segment;
    segment.u_left = std::log(left.x);
    segment.width = std::log(right.x / left.x);
    segment.g_left = left.g - target;
    segment.g_right = right.g - target;
    segment.v_left = left.se * left.se;
    segment.v_right = right.se * right.se;
    const double t = student_t_critical(std::max(level_of(left, level), level_of(right, level)),
                                        std::min(left.df, right.df));
    segment.t_left = t_at(left, segment.g_left, t);
    segment.t_right = t_at(right, segment.g_right, t);
    if (interpolant == Interpolant::kCurved) {
      const double steepest = std::max(std::abs(curvature[i]), std::abs(curvature[i + 1]));
      segment.bend = segment.width * segment.width * steepest / 2.0;
    }
    // The ends are the tested values themselves, so that pieces join and censoring is exact.
    const auto x_at = [&](double w) {
      if (w == 0.0 || w == 1.0) {
        return w == 0.0 ? left.x : right.x;
      }
      return std::exp(segment.u_left + w * segment.width);
    };
    for (const Piece& piece : pieces_in(segment)) {
      const Piece in_x{.lo = x_at(piece.lo), .hi = x_at(piece.hi)};
      if (!set.empty() && set.back().hi == in_x.lo) {
        set.back().hi = in_x.hi;
      } else {
        set.push_back(in_x);
      }
    }
  }
  return set;
}

}  // namespace scalestudy::stats
