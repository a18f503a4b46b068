// Which measured number stands beside a published one: the same quantity under the same conditions.
#pragma once

#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// One row a figure, in their order. Every condition of the figure must be said of the cell too,
// with the same value (numbers as numbers, words without regard to case): by a parameter of that
// name, which may be the study's or the workload's default, or by what a cell always has (devices,
// nodes, batches). The figure must name its model when the study does. A ratio also needs the same
// baseline. Several cells that fit are none.
//   results  of the study: estimates and comparisons.
std::vector<CounterpartRow> find_counterparts(const std::vector<PublicationRow>& publications,
                                              const StudyObservation& observation,
                                              const Study& study,
                                              const Results& results);

}  // namespace scalestudy
