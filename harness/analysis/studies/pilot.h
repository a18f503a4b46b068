// What earlier trials of a cell say about a study still to be run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/study/declared/study.h"
#include "stats/verdict.h"

namespace scalestudy {

struct PilotOutlook {
  double cv = 0.0;                   // standard deviation of trial means over their mean
  std::optional<double> half_width;  // relative, of the interval of the planned trials; of 2 on
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
//   source         METHODS.md, Sessions: unpaired two-sample t. Blocks that share drift see more.
std::optional<PilotOutlook> pilot_outlook(const Study& study,
                                          std::span<const double> trial_means_s,
                                          std::int64_t comparisons);

// What the planned trials of two cells say with a probability of 0.8 or more if their true step
// times, and their spread, are those of the pilots; kNoDetectableDifference where nothing.
//   comparisons  as for pilot_outlook.
//   returns      nullopt where pilot_outlook knows no spread of one of them.
//   source       detectable_ratio of stats for a difference; for equivalence the power of the two
//                one-sided tests, each a shifted t (METHODS.md, Sessions), which is checked first.
std::optional<stats::VerdictWord> expected_verdict(const Study& study,
                                                   std::span<const double> trial_means_s,
                                                   std::span<const double> base_means_s,
                                                   std::int64_t comparisons);

struct TrialsNeeded {
  std::optional<std::int64_t> n;   // absent when no number up to 10^9 would do
  std::optional<std::int64_t> lo;  // at the ends of what so few trials say about the spread
  std::optional<std::int64_t> hi;
};

// Trials of a cell whose interval has a relative half-width of at most `rel_half_width`, at the
// study's confidence. nullopt where pilot_outlook knows no spread.
//   source  sample_size_from_pilot of stats.
std::optional<TrialsNeeded> trials_for_precision(const Study& study,
                                                 std::span<const double> trial_means_s,
                                                 double rel_half_width);

}  // namespace scalestudy
