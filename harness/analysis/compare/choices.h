// Which of the cells that answer one question is the fastest, and which the cheapest.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Of every three or more measured cells with one baseline, itself included: `fastest`, each but the
// one of the highest mean throughput against that one, and where their prices differ `cheapest`,
// likewise by samples for the same money: for the same device time where no price is declared; with
// a price per node of every two, too. At each of the other declared prices `cheapest:NAME`, where
// the cells' prices stand in another relation there. Cells without a mean time, and oversubscribed
// ones, are no members. The best is chosen after the data, as any of them might have been: p values
// are multiplied by the number of pairs among all members of all such cells (Bonferroni). Of two
// cells the speedup and the efficiency say it all.
std::vector<ComparisonRow> compare_with_best(const StudyObservation& observation,
                                             const Study& study);

}  // namespace scalestudy
