// What a search found: gains on fresh blocks alone, what became of each setting, and which to use.
#pragma once

#include <vector>

#include "harness/analysis/search/search_race.h"

namespace scalestudy {

// The study as the fresh blocks of a search tell it: their trials alone, of the settings measured
// in them. A race keeps whoever was lucky in it, so that its trials say nothing of gains.
StudyObservation fresh_only(const StudyObservation& observation, const std::string& plan);

// What results rest on: of a search fresh_only of its searched_plan, of any other study all.
//   trials  all of the study.
StudyObservation what_counts(const StudyObservation& observation,
                             const std::vector<TrialRow>& trials,
                             const Study& study);

// Default and candidates over the race's winner, by what the study searches by; one family (Holm).
//   fresh  fresh_only; none where the winner is not in it.
std::vector<ComparisonRow> compare_with_winner(const StudyObservation& fresh,
                                               const Race& race,
                                               const Study& study);

// One row a setting, in the store's order. Recommended, once all fresh blocks have ended: the
// simplest setting that is better than the default (Holm) and equivalent within the margin to the
// winner (Holm), else the winner where it is better than the default; else the default.
//   comparisons  with the default (speedup, or the metric), and compare_with_winner.
//   is_over      no fresh trial is still to be run.
std::vector<SearchSettingRow> search_settings(const Race& race,
                                              const Study& study,
                                              const std::vector<ComparisonRow>& comparisons,
                                              bool is_over);

// The last two, of the study's one search; nothing of a study without one.
//   trials   all of the study.
//   results  have the comparisons with the default, and get the rows.
void add_search(const StudyObservation& observation,
                const std::vector<TrialRow>& trials,
                const Study& study,
                Results& results);

}  // namespace scalestudy
