// Words of result rows. SCHEMA.md says what each means.
#pragma once

#include "harness/store/rows/verdict_words.h"
#include "harness/text/words.h"

namespace scalestudy {

// Where a result's number comes from. Numbers of different provenance never mix in a statistic.
// kEmulated: from trials whose ranks sleep for declared times or are joined by emulated links, or
// projected from such trials. kImported: from logs of trials that this harness did not run.
enum class Provenance { kMeasured, kPublished, kProjected, kScenario, kEmulated, kImported };

template <>
inline constexpr std::string_view kWords<Provenance> =
    "measured|published|projected|scenario|emulated|imported";

enum class TargetVerdict { kMet, kMissed, kUndecided };

template <>
inline constexpr std::string_view kWords<TargetVerdict> = "met|missed|undecided";

enum class Bound { kAtLeast, kAtMost };

template <>
inline constexpr std::string_view kWords<Bound> = "at_least|at_most";

// Whether a result exists, or why not.
enum class RowStatus {
  // from stats (METHODS.md, "Status")
  kOk,
  kInvalidInput,
  kInsufficientData,
  kZeroVariance,
  kUnattainable,
  kDegenerate,
  kBounded,
  kUnboundedComplement,
  kUnboundedAll,
  kKappaAtBound,
  kSerialBelowZero,
  kNegativeComponent,
  kNoSteadyState,
  kAllTied,
  kCrossed,
  kCrossedDown,
  kAlways,
  kNotReached,
  kMultiple,
  kUnresolved,
  kExtrapolated,
  // for an estimate without flagged trials, which has no interval
  kUnflagged,
  // for a law (harness/analysis/laws/laws.h)
  kUntested,
  kRejected,
  kSerialAboveOne,
  kAlphaBelowZero,
  kNotApplicable,
  // for a projection (harness/analysis/laws/projections.h)
  kRefused,
  kUnsupported,
  // for relative_half_width: what stopped the trials of a cell
  // (harness/analysis/estimates/precision.h)
  kPrecision,
  kBudget,
  kTime,
  kUnfinished,
};

template <>
inline constexpr std::string_view kWords<RowStatus> =
    "ok|invalid_input|insufficient_data|zero_variance|unattainable|degenerate|bounded|"
    "unbounded_complement|unbounded_all|kappa_at_bound|serial_below_zero|"
    "negative_component|no_steady_state|all_tied|crossed|crossed_down|always|not_reached|"
    "multiple|unresolved|extrapolated|unflagged|untested|rejected|serial_above_one|"
    "alpha_below_zero|not_applicable|refused|unsupported|precision|budget|time|unfinished";

// How a ratio of step times was computed; the words are ids of stats/METHODS.md.
enum class RatioMethod {
  kPaired,       // trials paired by block
  kSessions,     // means of sessions paired
  kIndependent,  // trials not paired
  kGeometric,    // geometric means paired by block, as earlier versions of analysis did
  kLogRank,      // of times that some trials do not reach: the ratio of medians, p by log-rank
};

template <>
inline constexpr std::string_view kWords<RatioMethod> =
    "log_ratio_delta_paired|log_ratio_delta_sessions|log_ratio_delta|log_ratio_paired|"
    "log_rank";

// What a flag marks.
enum class FlagLevel { kTrial, kStep };

template <>
inline constexpr std::string_view kWords<FlagLevel> = "trial|step";

// The trials that an estimate is made of: all that count; those that no rule flags; those that
// nothing disturbed (Disturbance); or all as they first ran, disturbed ones included.
enum class Variant { kAll, kUnflagged, kUndisturbed, kWithDisturbed };

template <>
inline constexpr std::string_view kWords<Variant> = "all|unflagged|undisturbed|with_disturbed";

// The statistic of its trials' values that an estimate gives.
enum class Statistic {
  kMean,
  kP50,
  kP95,
  kP99,
  kMedian,
  kRelativeHalfWidth,
  kBetweenTrialsShare,
  kOptimalSteps,
};

template <>
inline constexpr std::string_view kWords<Statistic> =
    "mean|p50|p95|p99|median|relative_half_width|between_trials_share|optimal_steps";

// How a trial's step time is defined. kWindow: the longest time of any rank from the start of its
// first measured step to the end of its last one, divided by the number of steps. kSteps: the mean
// of the measured step times. kMixed: trials differ.
enum class StepTimeDefinition { kWindow, kSteps, kMixed };

template <>
inline constexpr std::string_view kWords<StepTimeDefinition> = "window|steps|mixed";

}  // namespace scalestudy
