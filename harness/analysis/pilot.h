// What earlier trials of a cell say about a study still to be run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/study/study.h"

namespace scalestudy {

struct PilotOutlook {
  double cv = 0.0;  // standard deviation of trial means over their mean
  // Smallest relative difference to another cell that the planned trials detect with power 0.8,
  // with the study's other comparisons allowed for.
  std::optional<double> detectable;
  // Trials a cell that detect a difference of the study's margin likewise.
  std::optional<std::int64_t> trials_for_margin;
};

// Reads the pilot for a study's confidence, margin and trial count.
//   trial_means_s  mean step times of ok trials of one cell, > 0.
//   comparisons    that the study makes of one quantity, >= 1: the first of Holm's levels is the
//                  study's divided by it, and no comparison is judged more strictly.
//   returns        nullopt with fewer than 2 trials or when they do not vary: no spread is known.
//                  A field is absent when no number of trials up to a million would do.
//   source         statistics.md 7: two-sample t, unpaired. Blocks that share drift detect more.
std::optional<PilotOutlook> pilot_outlook(const Study& study,
                                          std::span<const double> trial_means_s,
                                          std::int64_t comparisons);

}  // namespace scalestudy
