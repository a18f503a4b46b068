// How much faster one cell is than another, in the design the trials were run in.
#pragma once

#include <optional>
#include <string>

#include "harness/analysis/observation.h"
#include "stats/ratio_interval.h"

namespace scalestudy {

struct TimeRatio {
  stats::RatioInterval interval;        // of factor * step time of base / step time of cell
  std::optional<double> equivalence_p;  // that the ratio is beyond the study's margin of 1
  std::string method;                   // log_ratio_paired | log_ratio_delta
};

// Pairs the trials of common blocks of one session when the study's order is complete blocks and at
// least five blocks hold an ok trial of both; takes them as independent otherwise.
//   factor  > 0, e.g. the ratio of work per step, so that the ratio is one of throughputs.
TimeRatio time_ratio(const CellObservation& base,
                     const CellObservation& cell,
                     double factor,
                     const Study& study);

// Whether one of the two has an ok trial of a session in which the other has none: taken as
// independent, their ratio holds what changed between the sessions.
bool is_across_sessions(const CellObservation& base, const CellObservation& cell);

// What turns step times into throughput over the baseline's: work of a step of `cell` over that of
// `base`, from the global batches, or from the devices in weak scaling; 1 when neither says.
double work_ratio(const CellRow& base, const CellRow& cell, const std::string& scaling);

// Devices of `cell` over those of `base`.
double device_ratio(const CellRow& base, const CellRow& cell);

}  // namespace scalestudy
