// Words of threats to the results' validity.
#pragma once

#include "harness/text/words.h"

namespace scalestudy {

// The kind of a threat; harness/analysis/threats/threats.h explains most.
enum class ThreatKind {
  kFewTrials,
  kFailedTrials,
  kRetriedFailures,
  kExcludedTrials,
  kForeignLoad,
  kSteal,
  kLimitedLoad,
  kThrottled,
  kDisturbedTrials,
  kChangedMachine,
  kZeroVariance,
  kOversubscribed,
  kMissingBaseline,
  kChangedStudy,
  kChangedCores,
  kChangedAnalysis,
  kMixedUnits,
  kMissingMetrics,
  kSuperlinear,
  kControlFailed,
  kPhases,
  kDefinitions,
  kDrift,
  kWarmUp,
  kOutliers,
  kRareSlowTrials,
  kUnsteady,
  kCommunicationThread,
  kOverlapAlgorithm,
  kSeveralDifferences,
  kLearnedByHeart,
  kSequential,
  kBatchOrder,
  kSessions,
  kAcrossSessions,
  kAdaptive,
  kSlowNode,
  kSlowLink,
  kUnequalDevices,
  kEmulated,
  kUnappliedSettings,
  kUnconfirmedSettings,
  kSoftwareTypes,
  kSingleSteps,
  kFailedCleanup,
  kLeftBySetup,
  kImpossibleTimes,
  kRepeatedSteps,
  kDecimalCommas,
  kUnreadOutput,
  kErrorLines,
  kDeclaredDevices,
  kUncoveredTime,
  kLineArrival,
  kPeriodicSteps,
  kPrintedRates,
  kUndecided,
  kImported,
  kGateNoise,
  kPruned,
  kUnknownWork,
};

template <>
inline constexpr std::string_view kWords<ThreatKind> =
    "few_trials|failed_trials|retried_failures|excluded_trials|foreign_load|steal|limited_load|"
    "throttled|disturbed_trials|changed_machine|"
    "zero_variance|oversubscribed|missing_baseline|changed_study|changed_cores|changed_analysis|"
    "mixed_units|missing_metrics|superlinear|control_failed|phases|definitions|drift|warm_up|"
    "outliers|"
    "rare_slow_trials|unsteady|communication_thread|overlap_algorithm|several_differences|"
    "learned_by_heart|sequential|batch_order|sessions|across_sessions|adaptive|slow_node|"
    "slow_link|"
    "unequal_devices|emulated|unapplied_settings|unconfirmed_settings|software_types|single_steps|"
    "failed_cleanup|left_by_setup|impossible_times|repeated_steps|decimal_commas|unread_output|"
    "error_lines|"
    "declared_devices|uncovered_time|line_arrival|periodic_steps|printed_rates|undecided|imported|"
    "gate_noise|pruned|unknown_work";

enum class Severity { kNote, kWarning };

template <>
inline constexpr std::string_view kWords<Severity> = "note|warning";

}  // namespace scalestudy
