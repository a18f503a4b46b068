// What earlier trials of a cell say about a study still to be run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/study/declared/study.h"
#include "stats/verdict.h"

namespace scalestudy {

struct PilotOutlook {
  double cv = 0.0;                   // standard deviation of trial means / their mean
  std::optional<double> half_width;  // relative, expected of the planned trials; absent below 2
  // Smallest relative difference to another cell that the planned trials detect with power 0.8,
  // with the study's other comparisons allowed for.
  std::optional<double> detectable;
  // Trials of each cell that detect a difference of the study's margin with the same power.
  std::optional<std::int64_t> trials_for_margin;
};

// Evaluates the pilot for a study's confidence, margin and trial count.
// - trial_means_s: mean step times of ok trials of one cell, > 0.
// - comparisons: number of the study's comparisons of one quantity, >= 1. The first of Holm's
//   levels is the study's divided by it; no comparison is judged more strictly.
// - returns: nullopt with fewer than 2 trials, or if they do not vary: no spread is known then. A
//   field is absent if no number of trials up to a million would do.
// - source: METHODS.md, Sessions: unpaired two-sample t. Blocks that share drift detect more.
std::optional<PilotOutlook> pilot_outlook(const Study& study,
                                          std::span<const double> trial_means_s,
                                          std::int64_t comparisons);

// The verdict that the planned trials of two cells give with a probability of 0.8 or more if their
// true step times and spreads are those of the pilots; kNoDetectableDifference if there is none.
// - comparisons: as for pilot_outlook.
// - returns: nullopt if pilot_outlook knows no spread of one of them.
// - source: detectable_ratio of stats for a difference; for equivalence, which is checked first,
//   the power of the two one-sided tests, each a shifted t (METHODS.md, Sessions).
std::optional<stats::VerdictWord> expected_verdict(const Study& study,
                                                   std::span<const double> trial_means_s,
                                                   std::span<const double> base_means_s,
                                                   std::int64_t comparisons);

struct TrialsNeeded {
  std::optional<std::int64_t> n;   // absent if no number up to 10^9 would do
  std::optional<std::int64_t> lo;  // numbers at the ends of the interval of the pilot's spread
  std::optional<std::int64_t> hi;
};

// Trials of a cell that make the relative half-width of its interval at most `rel_half_width`, at
// the study's confidence. nullopt if pilot_outlook knows no spread.
// - df: degrees of freedom of the pilot's spread, if not its trials - 1.
// - source: sample_size_from_pilot of stats.
std::optional<TrialsNeeded> trials_for_precision(const Study& study,
                                                 std::span<const double> trial_means_s,
                                                 double rel_half_width,
                                                 std::optional<double> df = std::nullopt);

}  // namespace scalestudy
