// The fastest and the cheapest of several cells with one baseline.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Compares three or more measured cells that share a baseline, which is one of them, with the best.
// - fastest: each cell against the one of the highest mean throughput.
// - cheapest: the same by samples for equal cost (equal device time if no price is declared), if
//   the cells' prices differ; with a price per node for two cells, too.
// - cheapest:NAME: the same at another declared price, if the cells' prices have other ratios
//   there.
//
// Cells without a mean time, and oversubscribed ones, are no members. For two cells speedup and
// efficiency say it all. The best is chosen after the data and could have been any member, so p
// values are multiplied by the number of pairs among the members of all such groups (Bonferroni).
std::vector<ComparisonRow> compare_with_best(const StudyObservation& observation,
                                             const Study& study);

}  // namespace scalestudy
