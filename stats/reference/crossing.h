// Where a declared straight line crosses a target.
#pragma once

#include <optional>
#include <span>

#include "stats/regression.h"
#include "stats/status.h"

namespace scalestudy::stats {

enum class Predictor { kLogarithm, kIdentity };

struct LineCrossing {
  Status status = Status::kInsufficientData;
  double level = 0.0;
  std::optional<double> x0;          // absent when it leaves the range of a double
  std::optional<double> u0;          // on the predictor's scale: ln x0 or x0
  std::optional<double> se_delta_u;  // delta method, for comparison only
  std::optional<double> df;
  std::optional<double> g;   // >= 1: the slope is not resolved
  std::optional<double> lo;  // Fieller interval of the crossing
  std::optional<double> hi;
  std::optional<double> lo_new_obs;  // interval of where one new measurement would cross
  std::optional<double> hi_new_obs;
};

// y = a + b u with u = ln x or x; solves a + b u = target. For a declared model only, and only when
// lack_of_fit does not reject it; else threshold_piecewise.
//
//   status  extrapolated: x0 outside the measured x (no statement beyond a factor of 2).
//           unresolved: g >= 1, no interval. Else as linreg; invalid_input also for x <= 0 with
//           kLogarithm.
//   source  Fieller 1954; METHODS.md, Curves.
LineCrossing linreg_crossing(std::span<const double> x,
                             std::span<const double> y,
                             Predictor predictor,
                             double target,
                             double level);

// lack_of_fit_of_model of a straight line in x; else statuses as linreg.
LackOfFit lack_of_fit(std::span<const double> x, std::span<const double> y);

}  // namespace scalestudy::stats
