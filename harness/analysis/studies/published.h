// The measured counterparts of published figures: the same quantity under the same conditions.
#pragma once

#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Makes one row for each figure, in their order. Every condition of the figure must hold for the
// cell, with the same value (numbers as numbers, words without regard to case): by a parameter of
// that name, which may be the study's or the workload's default, or by what a cell always has
// (devices, nodes, batches). The figure must name its model if the study does. A ratio also needs
// the same baseline. If several cells fit, the figure has no counterpart.
// - results: the study's, with estimates and comparisons.
std::vector<CounterpartRow> find_counterparts(const std::vector<PublicationRow>& publications,
                                              const StudyObservation& observation,
                                              const Study& study,
                                              const Results& results);

// The name of the metric or comparison that a figure's counterpart is of: "throughput", or
// "tokens_per_second" where that is what the figure counts.
std::string measured_as(const PublishedFigureRow& figure, const CounterpartRow& counterpart);

}  // namespace scalestudy
