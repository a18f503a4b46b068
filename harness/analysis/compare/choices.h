// The fastest and the cheapest of several cells with one baseline.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// How many comparisons decide on the verdicts of the quantity (speedup, efficiency) and on the best
// by it. For k cells that include their baseline these are k - 1 verdicts and k - 1 comparisons
// with the true best, one of which is also a verdict. For k cells whose baseline is under other
// conditions they are k verdicts and k - 1 comparisons; without a result of the baseline, k - 1
// comparisons alone. Absent if no such best is chosen, or if the best is chosen by something else.
// Source: METHODS.md, Families.
std::optional<std::size_t> verdicts_and_choices(const std::string& quantity,
                                                const StudyObservation& observation,
                                                const Study& study);

// Compares measured cells that share a baseline and conditions (conditions_of) with the best of
// them: three or more with the baseline among them, or two without it, as where it is under other
// conditions or all its trials failed.
// - fastest: each cell against the one with the highest mean throughput. A cell that only its
//   verdict against the baseline excludes is compared with the baseline instead. A cell is excluded
//   as the best if its row says slower.
// - cheapest: the same by samples for equal cost (equal device time if no price is declared), if
//   the cells' prices differ; with a price per node, or without an efficiency, for two cells, too.
// - cheapest:NAME: the same at another declared price, if the cells' prices have other ratios
//   there.
//
// Cells without a mean time, and oversubscribed ones, are no members. For two cells speedup and
// efficiency say it all. Only comparisons with the true best can exclude it, so p values are
// adjusted for those (Bonferroni over all such groups), together with the verdicts where the best
// is by the verdicts' quantity. Source: Gupta 1965, Hsu 1984.
//
// - results: with the limits of the study (analysis.within) judged, among its targets: cells that
//   are not certain to keep them are not compared. The family counts them all the same, since which
//   of them are left depends on the data.
std::vector<ComparisonRow> compare_with_best(const StudyObservation& observation,
                                             const Study& study,
                                             const Results& results = {});

}  // namespace scalestudy
