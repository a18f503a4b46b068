// Each cell against its baseline and its control without communication, and the aa control.
#pragma once

#include <string>
#include <vector>

#include "harness/analysis/compare/findings.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Per measured cell with a measured baseline other than itself: `speedup`, and `efficiency` when
// the numbers of devices differ and the study scales. Per cell with a noop control:
// `communication_overhead`, 1 - step time without communication / step time; with a barrier control
// that is split: `transfer_overhead`, 1 - step time of the control / step time, and, of the control
// itself, `synchronization_overhead`, 1 - step time without communication / its own, so that
// (1 - communication) = (1 - synchronization)(1 - transfer). Per start_wait control:
// `overlap_gain`, throughput over the control's. Per aa control: `aa`, the throughput of the
// baseline's second name over the baseline's. Per device_match control: `device_match`, the
// throughput of its device over device 0's. Device 0 is known before any trial and is where all
// cells of one device run; the fastest one would be chosen by its luck, and no interval over it
// would hold.
// Per metric that the study asks for: its name, values over the baseline's.
//   p values  Holm over the comparisons of one quantity; oversubscribed cells are no members.
//   verdict   better or worse of a metric that the study asks for; of the throughput (speedup, aa),
//   against linear scaling (efficiency), against the run
//             without communication (communication_overhead); for an oversubscribed cell kNoClaim,
//             whatever the numbers.
//   value     without an interval when each side has a single trial (insufficient_data).
std::vector<ComparisonRow> compare_cells(const StudyObservation& observation, const Study& study);

// The rows of one family: p values adjusted (Holm; what makes no claim is no member), judged.
std::vector<ComparisonRow> judge_family(std::vector<Comparison> family, Scaling scaling);

// One of them, without adjusted p values and verdict.
//   factor  as for time_ratio.
Comparison compare_pair(const CellObservation& base,
                        const CellObservation& cell,
                        const std::string& quantity,
                        double factor,
                        const Study& study,
                        const MetricRequest* request = nullptr);

// Verdict and sentences, from the adjusted p values of its row.
void judge(Comparison& comparison, Scaling scaling);

}  // namespace scalestudy
