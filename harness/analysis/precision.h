// How well a cell is known after its first trials: what adaptive runs stop on.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "harness/study/study.h"

namespace scalestudy {

// Relative half-width of the t interval of the mean step time, and whether it meets trials.until.
// The width is absent with fewer than 2 trials; without `until` nothing is ever enough. How many
// trials come before the first look and after the last is the runner's to keep.
//   trial_means_s  mean step times of the cell's ok trials, > 0.
//   source         statistics.md 8: precision only, never a p value.
std::pair<std::optional<double>, bool> trial_precision(const Study& study,
                                                       std::span<const double> trial_means_s);

}  // namespace scalestudy
