// Words of result rows; what each means: SCHEMA.md.
#pragma once

#include "harness/store/rows/verdict_words.h"
#include "harness/text/words.h"

namespace scalestudy {

// Where a number comes from; every row of a result has one, and they never mix in a statistic.
// kEmulated: from trials whose ranks sleep for declared times or are joined by emulated links,
// projections of these too.
enum class Provenance { kMeasured, kPublished, kProjected, kScenario, kEmulated };

template <>
inline constexpr std::string_view kWords<Provenance> =
    "measured|published|projected|scenario|emulated";

enum class TargetVerdict { kMet, kMissed, kUndecided };

template <>
inline constexpr std::string_view kWords<TargetVerdict> = "met|missed|undecided";

enum class Bound { kAtLeast, kAtMost };

template <>
inline constexpr std::string_view kWords<Bound> = "at_least|at_most";

// Whether a result exists, or why not.
enum class RowStatus {
  // of stats (METHODS.md, "Status")
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
  // of an estimate without flagged trials, which has no interval
  kUnflagged,
  // of a law (laws.h of harness/analysis)
  kUntested,
  kRejected,
  kSerialAboveOne,
  kAlphaBelowZero,
  kNotApplicable,
  // of a projection (projections.h of harness/analysis)
  kRefused,
  kUnsupported,
  // what stopped the trials of a cell (precision.h), of relative_half_width
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

// How a ratio of step times came about; ids of stats/METHODS.md.
enum class RatioMethod {
  kPaired,    // by block
  kSessions,  // by the means of sessions
  kIndependent,
  kGeometric,  // by block, of geometric means: what analysis did before
};

template <>
inline constexpr std::string_view kWords<RatioMethod> =
    "log_ratio_delta_paired|log_ratio_delta_sessions|log_ratio_delta|log_ratio_paired";

// What a flag marks.
enum class FlagLevel { kTrial, kStep };

template <>
inline constexpr std::string_view kWords<FlagLevel> = "trial|step";

// Which trials an estimate is made of: all that count, those of them that no rule flags, those that
// nothing disturbed (Disturbance), or all as if none that was disturbed had been put aside.
enum class Variant { kAll, kUnflagged, kUndisturbed, kWithDisturbed };

template <>
inline constexpr std::string_view kWords<Variant> = "all|unflagged|undisturbed|with_disturbed";

// What an estimate says of the values of its trials.
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

// What the time of a step is. kWindow: the longest time of a rank from its first measured step's
// begin to its last one's end, over the steps. kSteps: the mean of the measured step times. kMixed:
// trials differ.
enum class StepTimeDefinition { kWindow, kSteps, kMixed };

template <>
inline constexpr std::string_view kWords<StepTimeDefinition> = "window|steps|mixed";

}  // namespace scalestudy
