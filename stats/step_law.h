// Laws of the time of a step over the number of devices, all in one shape: fitted to trials, asked
// for the time at any count.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

// g(N) = 1 where each device keeps its batch (weak scaling), 1/N where the global batch is fixed.
enum class StepLaw {
  kPerfect,    // t1 g(N)
  kAmdahl,     // t1 (s + (1 - s)/N), strong scaling
  kGustafson,  // t1 N/(N - s (N - 1)), weak scaling
  kUsl,        // throughput lambda N/(1 + sigma (N - 1) + kappa N (N - 1))
  kAdded,      // c g(N) + K(N): computation, then a communication of known time
  kHidden,     // max(c g(N), K(N)): the same, all of what can be hidden behind computation
  kRing,       // c + 2(N - 1) a + 2(N - 1)/N b, a and b >= 0 fitted too; weak scaling
  kPower,      // c g(N) + a (N^p - 1)/p, -1 <= p <= 2, a >= 0: what grows in some other way
};

// Trials of one curve.
struct StepPoints {
  std::span<const double> n;  // devices of each trial, >= 1
  std::span<const double> t;  // its step time, s, > 0; as many
  bool is_weak = false;       // batch per device fixed; else the global batch
  // K: what a step's communication takes on so many devices, s, >= 0; empty where it is not known.
  std::function<double(double n)> communication_s = {};
};

struct FittedStep {
  Status status = Status::kInsufficientData;
  std::size_t free_parameters = 0;  // of the law; usl with kappa at its bound: 2
  std::vector<std::pair<std::string_view, double>> parameters;  // name and value, s where a time
  double rss = 0.0;                                             // of ln t
  std::function<double(double n)> time_s;  // s; empty without a fit. Not above 0: no such count
};

std::size_t parameter_count(StepLaw law);

// The laws above but perfect scaling and kPower that can be told apart on such points: of strong
// scaling kRing is the same family as kUsl (METHODS.md, Curves), so it is none of them.
std::vector<StepLaw> laws_that_apply(const StepPoints& points);

// On the log scale, but for kAdded, kRing and kPower, whose relative errors are least (weights
// 1/t^2).
//
//   status  ok, also where a parameter lies outside its meaning or is held at a bound: the curve is
//           what counts here. invalid_input: n < 1, t not > 0, unequal lengths, a communication
//           that is no time; insufficient_data: fewer distinct n than parameters, or no more points
//           than those; degenerate: no optimum, or a law that does not apply to the points.
FittedStep fit_step_law(StepLaw law, const StepPoints& points);

}  // namespace scalestudy::stats
