// How much faster one cell is than another, in the design the trials were run in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/analysis/compare/look_plan.h"
#include "harness/analysis/observe/observation.h"
#include "stats/ratio_interval.h"

namespace scalestudy {

// Below this a paired interval has so few degrees of freedom that pairing costs more than it gains,
// and what seeds fix is not told from what they happened to be.
inline constexpr std::size_t kLeastBlocks = 5;

struct TimeRatio {
  stats::RatioInterval interval;  // of factor * step time of base / step time of cell, or of values
  std::optional<double> equivalence_p;  // that the ratio is beyond margin_of() of 1
  RatioMethod method = RatioMethod::kIndependent;
  // log_ratio_paired of the same pairs, where there are any: of geometric means, which slow
  // launches move less.
  stats::RatioInterval geometric;
  LookTerms looks;                 // what p and level of `interval` allow for
  bool is_blocked = false;         // only trials of blocks that hold both are used
  bool is_attributable = true;     // false: has_other_software, so there is no ratio
  bool is_of_one_seed = false;     // Seeds::kOne: one value a side, so there is no interval
  bool has_few_seeds = false;      // of Seeds::kOfBlock and fewer than kLeastBlocks: no interval
  std::size_t sessions = 0;        // that ran the trials used
  std::int64_t left_out = 0;       // ok trials of the cell without a partner,
  std::int64_t left_out_base = 0;  // and of the base
  TrialIds trials;                 // of the cell that are used,
  TrialIds base_trials;            // and of the base
};

// Of step times, base over cell; of a metric that the study asks for (`request`), cell over base.
// Blocks are those of one session, and of what seeds fix (seeds_of() of sessions.h) each seed once,
// whichever sessions ran it. An order of complete blocks uses the trials of blocks that hold
// an ok trial of both, any other order all trials. These are compared
//   log_ratio_delta_sessions  by the means of each session, with kSessionsAsUnit of them or more;
//   log_ratio_delta_paired    by block, with five or more;
//   log_ratio_delta           as independent otherwise; insufficient_data below two a side, and
//                             without a ratio where has_other_software.
// Without an interval too (insufficient_data) where has_few_seeds.
//   factor  > 0, e.g. the ratio of work per step, so that the ratio is one of throughputs.
TimeRatio time_ratio(const CellObservation& base,
                     const CellObservation& cell,
                     double factor,
                     const Study& study,
                     const MetricRequest* request = nullptr);

// Of both sides of a comparison, ascending.
TrialIds trials_of_both(const ComparisonRow& row);

// Relative differences that do not matter: of a metric that the study asks for (`request`) its own
// margin where it has one, else, and of step times, the study's.
double margin_of(const Study& study, const MetricRequest* request);

// What makes a ratio of step times that quantity of `cell`: work_ratio for a speedup, work_ratio a
// device for an efficiency, 1 for others.
double quantity_factor(const std::string& quantity,
                       const CellRow& base,
                       const CellRow& cell,
                       Scaling scaling);

// What turns step times into throughput over the baseline's: work of a step of `cell` over that of
// `base`, from the global batches, or from the devices in weak scaling; 1 when neither says.
double work_ratio(const CellRow& base, const CellRow& cell, Scaling scaling);

// Devices of `cell` over those of `base`.
double device_ratio(const CellRow& base, const CellRow& cell);

}  // namespace scalestudy
