// The measured counterparts of published figures: the same quantity under the same conditions.
#pragma once

#include <string>
#include <vector>

#include "harness/analysis/studies/measured_study.h"

namespace scalestudy {

// Makes one row for each figure, in their order. Every condition of the figure must hold for the
// cell, with the same value (numbers as numbers, words without regard to case): by a parameter of
// that name, which may be the study's or the workload's default, or by what a cell always has
// (devices, nodes, batches). The figure must name its model if the study does. A ratio also needs
// the same baseline. If several cells fit, and not all with one value, the figure has no
// counterpart. A condition that one side does not say may be assumed (PublishedFigureRow::assumed).
// - results: the study's, with estimates and comparisons.
std::vector<CounterpartRow> find_counterparts(const std::vector<PublicationRow>& publications,
                                              const StudyObservation& observation,
                                              const Study& study,
                                              const Results& results);

// Whether the figure is a value of that metric or comparison, in its unit.
bool is_measured_as(const MeasuredStudy& measured,
                    const PublishedFigureRow& figure,
                    const std::string& metric);

}  // namespace scalestudy
