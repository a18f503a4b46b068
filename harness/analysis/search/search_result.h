// The results of a search: gains on fresh blocks alone, the outcome of each setting, which to use.
#pragma once

#include <vector>

#include "harness/analysis/search/search_race.h"

namespace scalestudy {

// The observation reduced to fresh blocks of a search: their trials, of the settings measured in
// them. A race keeps settings that were lucky in it, so its trials say nothing about gains.
// - trials: all of the study, of which those of searched_plan() are kept.
StudyObservation fresh_only(const StudyObservation& observation,
                            const std::vector<TrialRow>& trials);

// The observation that results rest on: for a search fresh_only(), for any other study all of it.
// - trials: all of the study.
StudyObservation what_counts(StudyObservation observation,
                             const std::vector<TrialRow>& trials,
                             const Study& study);

// Compares default and candidates with the race's winner by the objective of the search, as one
// family (Holm). Empty if the winner is not in `fresh`.
// - fresh: from fresh_only().
std::vector<ComparisonRow> compare_with_winner(const StudyObservation& fresh,
                                               const Race& race,
                                               const Study& study);

// Makes one row for each setting, in the store's order. Once all fresh blocks have ended one
// setting is recommended: the simplest that is better than the default (Holm) and equivalent within
// the margin to the winner (Holm); else the winner if it is better than the default; else the
// default.
// - comparisons: with the default (speedup, or the metric), and those of compare_with_winner.
// - is_over: no fresh trial is still to be run.
std::vector<SearchSettingRow> search_settings(const Race& race,
                                              const Study& study,
                                              const std::vector<ComparisonRow>& comparisons,
                                              bool is_over);

// Adds the rows of compare_with_winner() and search_settings() for the study's search; nothing for
// a study without one.
// - trials: all of the study.
// - results: has the comparisons with the default, and gets the rows.
void add_search(const StudyObservation& observation,
                const std::vector<TrialRow>& trials,
                const Study& study,
                Results& results);

}  // namespace scalestudy
