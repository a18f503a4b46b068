// Projects the time of a step to more devices than were measured, if the model passes a check.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "stats/law_choice.h"

namespace scalestudy::stats {

// Fewest counts below those held out: as many as the universal scalability law has parameters.
inline constexpr std::size_t kFewestFittedCounts = 3;

// Largest mean error at the counts held out with which a check passes: kMostError or kMostNoises
// standard deviations of the noise between trials, whichever is larger.
inline constexpr double kMostError = 0.10;
inline constexpr double kMostNoises = 2.0;

struct ProjectionCheck {
  Status status = Status::kInsufficientData;  // ok: both sides of the gate were computed
  bool is_passed = false;
  std::size_t counts = 0;             // distinct counts, those held out among them
  std::size_t held_out = 0;           // how many of the largest counts were held out
  double most_fitted = 0.0;           // largest count that was fitted
  double most = 0.0;                  // largest count
  StepLaw model = StepLaw::kRing;     // kRing, kAdded or kHidden
  std::optional<double> error;        // mean over the counts held out of |predicted/measured - 1|
  std::vector<double> log_errors;     // ln(measured/predicted) by count held out
  double noise = 0.0;                 // standard deviation of ln t between trials of one count
  double limit = kMostError;          // of `error`
  std::vector<HeldOutError> rivals;   // perfect scaling, Amdahl (weak: Gustafson), usl
  std::vector<StepLaw> alternatives;  // rivals and kPower that are within `limit`, or fit as well
};

// Fits the model of a communicating step to the smaller counts and compares its predictions for the
// counts held out with those of its rivals. The model is the better fit of kAdded and kHidden if
// the points have a communication time; without one it is kRing, for weak scaling only.
//
//   hold_out  how many of the largest counts; 0: those above half of the largest.
//   df_taken  degrees of freedom that take_out_blocks has spent on the times already.
//   passes    error <= limit, and below the error of every rival.
//   status    insufficient_data: fewer than kFewestFittedCounts counts left to fit, none held out,
//             or a rival that needs more trials; degenerate: no model applies (strong scaling
//             without a communication: kRing would be kUsl), or one could not be fitted.
ProjectionCheck check_projection(const StepPoints& points,
                                 std::size_t hold_out,
                                 std::size_t df_taken = 0);

struct ProjectedTime {
  Status status = Status::kInsufficientData;
  std::optional<double> time_s;
  std::optional<double> lo;
  std::optional<double> hi;
};

// The mean time of trials on n devices by the model of a check that passed, fitted to all counts.
// The interval is the union of those of the model and of its alternatives. Each comes from 999
// refits to the fitted times with newly drawn errors of counts (Student's t); each refit adds one
// more such error and, with either sign, one of the errors at the counts held out. The errors
// spread as the residuals of the fit do, but at least as means of trials. The same trials give the
// same draws.
//
//   level   of the interval, in (0, 1).
//   status  degenerate: the fit gives no time there.
ProjectedTime project_time(const StepPoints& points,
                           const ProjectionCheck& check,
                           double n,
                           double level);

}  // namespace scalestudy::stats
