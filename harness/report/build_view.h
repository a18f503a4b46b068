// ReportInput -> View: the values of every tag of tags.h.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/input.h"
#include "harness/report/layout.h"
#include "harness/report/number.h"
#include "harness/report/view.h"

namespace scalestudy::report {

// Paths of the figures that were made, by kind (figures.h) and group index.
using FigurePaths = std::map<std::pair<std::string, std::size_t>, std::vector<std::string>>;

// All of it.
View build_view(const ReportInput& input, const FigurePaths& figures);

// Its parts, one source each.
View study_view(const ReportInput& input);                                // study_view.cc
View results_view(const ReportInput& input, const FigurePaths& figures);  // results_view.cc
View findings_view(const ReportInput& input);                             // findings_view.cc
View judgements_view(const ReportInput& input);                           // judgements_view.cc
View precision_view(const ReportInput& input);                            // precision_view.cc
View trials_view(const ReportInput& input);                               // trials_view.cc
View published_view(const ReportInput& input);                            // published_view.cc
View environment_view(const ReportInput& input);                          // environment_view.cc

// Sets overheads, overhead_parts and overlap_gains: a group's cells against their controls.
void add_overheads(View& view,
                   const ReportInput& input,
                   const Group& group,
                   const Scale& time);  // overhead_view.cc

// Sets communication_rows and their unit: a group's cells with communication inside a step.
void add_communication(View& view,
                       const ReportInput& input,
                       const Group& group);  // communication_view.cc

// A group's cells of a collective: sizes, times and bandwidths; none for other workloads.
View::List message_rows(const ReportInput& input, const Group& group);  // collective_view.cc

// The best bandwidth and the shortest time of each number of devices, as sentences.
std::vector<std::string> message_findings(const ReportInput& input);  // collective_view.cc

// The names by which a row of any table says which cell it is about: cell, configuration,
// batch_global, batch_per_device, batch (the one that the scaling holds fixed), devices.
View cell_view(const ReportInput& input, const CellRow& cell);

// Value and interval of a stored row.
template <typename Row>
Measure measure_of(const Row& row) {
  return {row.value, row.lo, row.hi};
}

// Cells that the target of that name has a row for.
std::size_t target_cells(const ReportInput& input, const std::string& name);

// What a status other than "ok" means, for people: "too few trials".
std::string status_meaning(const std::string& status);

}  // namespace scalestudy::report
