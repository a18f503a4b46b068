// How much faster one cell is than another, by the design in which the trials were run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/analysis/compare/look_plan.h"
#include "harness/analysis/observe/observation.h"
#include "stats/ratio_interval.h"

namespace scalestudy {

// Fewest blocks that are compared as pairs. With fewer, a paired interval has so few degrees of
// freedom that pairing costs more than it gains, and the effect of seeds cannot be told from
// chance.
inline constexpr std::size_t kLeastBlocks = 5;

struct TimeRatio {
  stats::RatioInterval interval;  // of factor * step time of base / step time of cell, or of values
  std::optional<double> equivalence_p;  // p value of the ratio being beyond margin_of() of 1
  RatioMethod method = RatioMethod::kIndependent;
  // log_ratio_paired of the same pairs, if there are any: a ratio of geometric means, which slow
  // launches change less.
  stats::RatioInterval geometric;
  LookTerms looks;                 // looks that p and level of `interval` allow for
  bool is_blocked = false;         // only trials of blocks with ok trials of both cells are used
  bool is_attributable = true;     // false: has_other_software, so there is no ratio
  bool is_of_one_seed = false;     // Seeds::kOne: one value a side, so there is no interval
  bool has_few_seeds = false;      // Seeds::kOfBlock, fewer than kLeastBlocks: no interval
  std::size_t sessions = 0;        // sessions that ran the trials used
  std::int64_t left_out = 0;       // ok trials of the cell without a partner
  std::int64_t left_out_base = 0;  // ok trials of the base without a partner
  TrialIds trials;                 // trials of the cell that are used
  TrialIds base_trials;            // trials of the base that are used
};

// The ratio of step times, base over cell; or of values of a metric that the study asks for
// (`request`), cell over base; of a rate over the step time (rates.h) those that follow from the
// mean times. Blocks are those of one session; of a metric that seeds determine (seeds_of() of
// sessions.h) each seed counts once, whichever sessions ran it. An order of complete blocks uses
// the trials of blocks with an ok trial of both cells, any other order all trials. The method is
// - log_ratio_delta_sessions: by the means of each session, from kSessionsAsUnit sessions on;
// - log_ratio_delta_paired: by block, from kLeastBlocks blocks on;
// - log_ratio_delta: as independent otherwise; insufficient_data with fewer than two trials a side.
//
// There is no ratio if has_other_software, or if one block of several holds both cells, and no
// interval (insufficient_data) if has_few_seeds.
//
// - factor: > 0, e.g. the ratio of work per step, so that the ratio is one of throughputs.
TimeRatio time_ratio(const CellObservation& base,
                     const CellObservation& cell,
                     double factor,
                     const Study& study,
                     const MetricRequest* request = nullptr);

// Ids of the trials of both sides of a comparison, ascending.
TrialIds trials_of_both(const ComparisonRow& row);

// The largest relative difference that does not matter: the margin of `request` if it has one, else
// the study's.
double margin_of(const Study& study, const MetricRequest* request);

// The factor that turns a ratio of step times into that quantity of `cell`: work_ratio for a
// speedup, work_ratio / device_ratio for an efficiency, 1 for others.
double quantity_factor(const std::string& quantity,
                       const CellRow& base,
                       const CellRow& cell,
                       Scaling scaling);

// The work of a step of `cell` over that of `base`, which turns a ratio of step times into one of
// throughputs: by the global batches, or by the devices in weak scaling; 1 if neither is known.
double work_ratio(const CellRow& base, const CellRow& cell, Scaling scaling);

// Devices of `cell` over those of `base`.
double device_ratio(const CellRow& base, const CellRow& cell);

}  // namespace scalestudy
