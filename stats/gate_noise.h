// How often a gate fires by chance: a limit on how much slower a run may be than an equal one.
#pragma once

#include <cstddef>
#include <optional>

#include "stats/status.h"

namespace scalestudy::stats {

struct GateNoise {
  Status status = Status::kInvalidInput;
  std::optional<double> chance;  // of firing although nothing changed
  std::optional<double> lo;
  std::optional<double> hi;
};

// The chance that a normal difference with mean 0 exceeds ln(1 + margin), with the interval that
// follows from the chi-squared interval of its standard deviation.
//
//   sd      standard deviation of the difference that the gate looks at, on the scale of
//           logarithms, > 0: for two independent sessions sqrt(2) times that of session means.
//   df      degrees of freedom that sd rests on, > 0.
//   margin  > 0: the gate fires if one is slower by more than that share.
//   level   of the interval, in (0, 1). Exact for normal differences.
//   source  METHODS.md, Sessions.
GateNoise gate_noise(double sd, double df, double margin, double level);

// The chance by counting, for differences that are not normal: `fired` of `comparisons`, with the
// interval of Clopper and Pearson. Neighbouring comparisons share a session, which makes their
// count vary less than that of independent ones.
//
//   status  invalid_input: no comparisons, more fired than there are, level.
GateNoise counted_gate_noise(std::size_t fired, std::size_t comparisons, double level);

}  // namespace scalestudy::stats
