// Laws of the time of a step over the number of devices, behind one interface: fitted to trials,
// they give the time at any count.
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
  kHidden,     // max(c g(N), K(N)): communication of known time, hidden behind computation
  kRing,       // c + 2(N - 1) a + 2(N - 1)/N b, a and b >= 0 fitted too; weak scaling
  kPower,      // c g(N) + a (N^p - 1)/p, -1 <= p <= 2, a >= 0: costs that grow in another way
};

// Trials of one curve.
struct StepPoints {
  std::span<const double> n;  // devices of each trial, >= 1
  std::span<const double> t;  // its step time, s, > 0; as many
  bool is_weak = false;       // batch per device fixed; else the global batch
  // K(n): the time of a step's communication on n devices, s, >= 0; empty if it is not known.
  std::function<double(double n)> communication_s = {};
};

struct FittedStep {
  Status status = Status::kInsufficientData;
  std::size_t free_parameters = 0;  // of the law; usl with kappa at its bound: 2
  std::vector<std::pair<std::string_view, double>> parameters;  // name and value, s where a time
  double rss = 0.0;                                             // of ln t
  // Time on n devices, s; not above 0 where the law gives no time. Empty without a fit.
  std::function<double(double n)> time_s;
};

std::size_t parameter_count(StepLaw law);

// The laws, without kPerfect and kPower, that can be told apart on these points. In strong scaling
// kRing is the same family as kUsl (METHODS.md, Curves), and is left out.
std::vector<StepLaw> laws_that_apply(const StepPoints& points);

// Fits on the log scale; kAdded, kRing and kPower by the least relative errors (weights 1/t^2).
//
// - status: ok, even if a parameter is outside its meaningful range or held at a bound, because
//   only the curve counts here; invalid_input for n < 1, t not > 0, unequal lengths, a
//   communication time that is negative or not finite; insufficient_data for fewer distinct n than
//   parameters, or no more points than parameters; degenerate for no optimum, or a law that does
//   not apply.
FittedStep fit_step_law(StepLaw law, const StepPoints& points);

}  // namespace scalestudy::stats
