// Divides the spread of values into a part between trials and a part within them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

struct VarianceComponents {
  Status status = Status::kInsufficientData;
  std::size_t trials = 0;
  std::optional<double> ms_between;
  std::optional<double> ms_within;
  std::optional<double> n0;  // steps per trial; corrected when unequal
  std::optional<double> var_within;
  std::optional<double> var_between_raw;  // may be negative
  std::optional<double> var_between;      // truncated at 0
  std::optional<double> f;
  std::optional<double> p;
};

// One-way random effects, ANOVA estimators.
//
//   groups  values of each trial, e.g. step times or batch means of them.
//   status  negative_component: the raw estimate is below 0, truncated. insufficient_data: fewer
//           than 2 trials (var_within is given), or no trial with 2 values. invalid_input: an
//           empty trial, or a value that is not finite. zero_variance: no spread within trials (no
//           F).
//   source  Searle, Casella & McCulloch 1992 (one way, ANOVA estimators).
VarianceComponents variance_components(std::span<const std::vector<double>> groups);

}  // namespace scalestudy::stats
