// Comparisons of each cell with its baseline and its controls.
#pragma once

#include <string>
#include <vector>

#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/questions.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Makes all comparisons of a study, by quantity:
// - speedup: for each measured cell with a measured baseline other than itself; efficiency as well
//   if it has_efficiency().
// - communication_overhead: for each cell with a noop control, 1 - step time without communication
//   / step time.
// - transfer_overhead and synchronization_overhead: its parts, for each cell with a barrier
//   control. The first is 1 - step time of the control / step time; the second, a row of the
//   control, is 1 - step time without communication / step time of the control, so that (1 -
//   communication) = (1 - synchronization)(1 - transfer).
// - overlap_gain: for each start_wait control, throughput over the control's.
// - aa: for each aa control, the throughput of the baseline's second name over the baseline's.
// - device_match: for each such control, the throughput of its device over device 0's. Device 0 is
//   known before any trial and runs all cells of one device; the fastest device would be chosen by
//   luck, and no interval over it would hold.
// - metrics that the study asks for, by name: values over the baseline's.
//
// P values are adjusted over the comparisons of one quantity by verdict_rule() of questions.h,
// without oversubscribed cells.
// The verdict is about the throughput (speedup, aa), linear scaling (efficiency), the run without
// communication (communication_overhead), or better or worse for a metric that the study asks for;
// kNoClaim for an oversubscribed cell. A value has no interval if each side has a single trial
// (insufficient_data).
std::vector<ComparisonRow> compare_cells(const StudyObservation& observation, const Study& study);

// The comparisons of one of these quantities, still without adjusted p values and verdicts; none of
// a quantity that compares nothing.
std::vector<Comparison> family_of(const std::string& quantity,
                                  const StudyObservation& observation,
                                  const Study& study);

// Judges the comparisons of one family and returns their rows. P values are adjusted without
// comparisons that make no claim.
std::vector<ComparisonRow> judge_family(std::vector<Comparison> family,
                                        Scaling scaling,
                                        const FamilyRule& rule = {});

// Sets the adjusted p values of a comparison of a Bonferroni family, and how they came about.
void allow_for(Comparison& comparison, std::size_t family_size);

// Makes one comparison, still without adjusted p values and verdict.
// - factor: as for time_ratio.
Comparison compare_pair(const CellObservation& base,
                        const CellObservation& cell,
                        const std::string& quantity,
                        double factor,
                        const Study& study,
                        const MetricRequest* request = nullptr);

// Sets the verdict and the sentences of a comparison, from the adjusted p values of its row.
void judge(Comparison& comparison, Scaling scaling);

}  // namespace scalestudy
