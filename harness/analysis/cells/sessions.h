// Intervals over trials of several sessions (invocations of `run`).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "stats/bounds.h"
#include "stats/mean_interval.h"

namespace scalestudy {

// From this many sessions on the session is the unit of an interval, which then holds for further
// sessions too. With fewer, sessions are strata and intervals hold within them alone, because a few
// sessions hardly show how sessions spread (METHODS.md, One cell).
inline constexpr std::size_t kSessionsAsUnit = 5;

using SessionId = std::optional<std::int64_t>;

// One value for each trial, in order of block, by the session that ran it.
using SessionValues = std::map<SessionId, std::vector<double>>;

// The seeds that determine a metric of a cell's trials, up to rounding: accuracy and losses of
// train.
enum class Seeds {
  kNone,     // the metric does not depend on seeds alone
  kOfBlock,  // vary_seed: the block's seed, whichever session runs it, so that blocks of merged
             // stores are no further seeds and each number counts once
  kOne,      // no vary_seed: one seed for all trials, which together count once; not if times
             // decide how many steps a trial trains (epochs do not)
};
Seeds seeds_of(const Study& study, const CellRow& cell, const std::string& metric);

// The block that a trial counts for: session_block() without seeds, only the block's number with
// kOfBlock, and one block for all trials with kOne.
SessionBlock counted_block(const TrialRow& trial, Seeds seeds);

// Means (or another statistic) of one metric, for the trials that have it.
// - seeds: by seeds_of(). The first trial of each seed is taken, as if all were of one session.
SessionValues session_values(const CellObservation& cell,
                             const std::string& metric,
                             double TrialMetric::*statistic = &TrialMetric::mean,
                             Seeds seeds = Seeds::kNone);

// The mean over trials of one cell.
struct TrialsInterval {
  stats::MeanInterval interval;  // with the sd between trials; its ends by keep_inside()
  stats::Estimate plain;         // the interval before keep_inside()
  stats::Range range = stats::Range::kAny;
  // mean_ci_t over the trials of one session; mean_ci_t_within for two to four sessions;
  // mean_ci_t_sessions, which is mean_ci_t over the sessions' means, from kSessionsAsUnit on.
  std::string method;
};
// - range: the metric's, by range_of(); kAny if some value contradicts it.
TrialsInterval interval_over_trials(const SessionValues& values, double level, stats::Range range);

// The range of a metric's values: a time, an amount or a rate is positive, a share is between 0 and
// 1. What overlap hides may be negative, since its costs are subtracted. For a metric of the user's
// program its unit decides.
stats::Range range_of(const Study& study, const std::string& metric, const std::string& unit);

// Number of sessions with trials of this cell that count.
std::size_t session_count(const CellObservation& cell);

// Whether the two cells have different shares of their trials in some session. If their trials are
// taken as independent, the ratio then includes changes between sessions.
bool has_other_shares(const CellObservation& base, const CellObservation& cell);

// Whether the two cells have different shares of their trials under some software, in fewer than
// kSessionsAsUnit sessions a side. If their trials are taken as independent, the ratio is then not
// attributable to the cells (METHODS.md, Sessions).
bool has_other_software(const CellObservation& base, const CellObservation& cell);

// Why two cells with enough trials lack common blocks, if sessions are the reason: " of one
// session: ..."; else "".
std::string why_unpaired(const CellObservation& base, const CellObservation& cell);

// Threats from trials of several sessions.
// - changed_study: a warning about programs of a command that were edited between sessions.
// - sessions: spread_threats().
// - across_sessions: cells and bases have different shares of the sessions. A note if common blocks
//   are compared; a warning if there are fewer than two of them or no blocks at all, or if
//   has_other_software leaves nothing to compare.
std::vector<ThreatRow> session_threats(const StudyObservation& observation,
                                       const Study& study,
                                       const std::vector<ComparisonRow>& comparisons);

}  // namespace scalestudy
