// What an interval is about when several sessions (invocations of `run`) share its trials.
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

// From this many sessions on the session is the unit, so that intervals speak of further ones too.
// With fewer, sessions are strata and intervals hold within them alone: two levels say next to
// nothing of how levels spread (METHODS.md, One cell).
inline constexpr std::size_t kSessionsAsUnit = 5;

using SessionId = std::optional<std::int64_t>;

// Values, one a trial, by the session that ran it; in order of block.
using SessionValues = std::map<SessionId, std::vector<double>>;

// The seeds that fix a metric of a cell's trials, up to rounding: of accuracy and losses of train.
enum class Seeds {
  kNone,     // none does
  kOfBlock,  // vary_seed: that of the block, whichever session runs it, so that blocks of merged
             // stores are no further seeds and each number counts once
  kOne,      // without vary_seed: one for all trials, so that all of them count once; not where
             // times decide how many steps a trial trains for (epochs do not)
};
Seeds seeds_of(const Study& study, const CellRow& cell, const std::string& metric);

// session_block(); where a block counts once its number alone, and of one seed always the same.
SessionBlock counted_block(const TrialRow& trial, Seeds seeds);

// Means (or another statistic) of one metric, of the trials that have it.
//   seeds  seeds_of(): of each seed the first trial, as if of one session.
SessionValues session_values(const CellObservation& cell,
                             const std::string& metric,
                             double TrialMetric::*statistic = &TrialMetric::mean,
                             Seeds seeds = Seeds::kNone);

// The mean over trials of one cell.
struct TrialsInterval {
  stats::MeanInterval interval;  // its sd between trials; ends of keep_inside()
  stats::Estimate plain;         // before keep_inside()
  stats::Range range = stats::Range::kAny;
  // mean_ci_t over the trials of one session; mean_ci_t_within of two to four sessions;
  // mean_ci_t_sessions, mean_ci_t over the sessions' means, from kSessionsAsUnit on.
  std::string method;
};
//   range  that the metric has (range_of()); kAny where some value contradicts it.
TrialsInterval interval_over_trials(const SessionValues& values, double level, stats::Range range);

// Where values of a metric can lie: a time, an amount or a rate is positive, a share between 0 and
// 1; of what overlap hides costs are taken off. Of a metric of somebody's program what its unit
// says.
stats::Range range_of(const Study& study, const std::string& metric, const std::string& unit);

// Sessions in which trials of this cell count.
std::size_t session_count(const CellObservation& cell);

// Whether the two have different shares of their trials in some session: taken as independent,
// their ratio holds what changed between the sessions.
bool has_other_shares(const CellObservation& base, const CellObservation& cell);

// Whether the two have different shares of their trials under some software, in fewer than
// kSessionsAsUnit sessions a side: taken as independent, their ratio is not attributable to the
// cells (METHODS.md, Sessions).
bool has_other_software(const CellObservation& base, const CellObservation& cell);

// " of one session: ...", why two cells that have trials enough lack blocks that hold both; ""
// where sessions are not why.
std::string why_unpaired(const CellObservation& base, const CellObservation& cell);

// Threats from trials of several sessions: changed_study, a warning about programs of a command
// that were edited between them; sessions, a note on what intervals are about and how far the
// sessions are apart, which decides nothing; across_sessions, cells and bases with other shares of
// the sessions: a note where common blocks are compared, a warning where there are not two of them
// or no blocks at all, or where has_other_software leaves nothing to compare.
std::vector<ThreatRow> session_threats(const StudyObservation& observation,
                                       const Study& study,
                                       const std::vector<ComparisonRow>& comparisons);

}  // namespace scalestudy
