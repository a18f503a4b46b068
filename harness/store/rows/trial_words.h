// Words of sessions, trials and their logs.
#pragma once

#include <optional>
#include <string>

#include "harness/text/words.h"

namespace scalestudy {

// How a session ended. A store older than schema version 32 has kInterrupted for the last three.
enum class SessionEnding {
  kNone,  // it is running, was killed, or could not store its end
  kDone,
  kInterrupted,  // by a signal
  kMaxTime,      // limits.max_time
  kError,
  kMaxTrials,  // --max-trials
  kFailures,   // all attempts failed alike
  kDisturbed,  // validity.policy: abort
};

template <>
inline constexpr std::string_view kWords<SessionEnding> =
    "|done|interrupted|max_time|error|max_trials|failures|disturbed";

enum class TrialState {
  kPlanned,
  kRunning,
  kOk,
  kFailed,
  kTimeout,
  kOom,
  kInvalid,      // ran, but its conditions or its output were not acceptable
  kUnsupported,  // the workload reported that this machine cannot run it
  kSkipped,      // not run, by a limit or a user's decision
  kExcluded,     // its cell is excluded by a rule
};

template <>
inline constexpr std::string_view kWords<TrialState> =
    "planned|running|ok|failed|timeout|oom|invalid|unsupported|skipped|excluded";

// Whether it is still to run, or runs.
constexpr bool is_pending(TrialState state) {
  return state == TrialState::kPlanned || state == TrialState::kRunning;
}

// Whether it was run, or refused by this machine, and is over.
constexpr bool has_ended(TrialState state) {
  return !is_pending(state) && state != TrialState::kSkipped && state != TrialState::kExcluded;
}

// Whether it ran and gave nothing that counts.
constexpr bool has_failed(TrialState state) {
  return state == TrialState::kFailed || state == TrialState::kTimeout ||
         state == TrialState::kOom || state == TrialState::kInvalid;
}

// Likewise, or this machine cannot run it.
constexpr bool is_unusable(TrialState state) {
  return has_failed(state) || state == TrialState::kUnsupported;
}

// Who ran a trial. kImported: not this harness; its log was there before (`import runs`).
enum class TrialProvenance { kMeasured, kImported };

template <>
inline constexpr std::string_view kWords<TrialProvenance> = "measured|imported";

// Why a trial was skipped. kPrecise, kDecided and kPruned: it need not be run; all others would be
// run again.
enum class SkipReason {
  kNotInStudy,  // the study has no such cell or block any more
  kPrecise,     // the step time of its cell is as precise as the study asks
  kDecided,     // the comparison of its cell is decided
  kFailures,    // attempts of its cell failed alike, one after another
  kTooLarge,    // the same cell with a smaller batch ran out of memory
  kPruned,      // it ran, and `prune` removed what it left
};

template <>
inline constexpr std::string_view kWords<SkipReason> =
    "not_in_study|precise|decided|failures|too_large|pruned";

// Whether a trial that is skipped for this reason is one that its study does not need.
constexpr bool is_enough(SkipReason reason) {
  return reason == SkipReason::kPrecise || reason == SkipReason::kDecided ||
         reason == SkipReason::kPruned;
}

// Whether the next run would run the trial: it has not run yet, or its cell was given up. One that
// is too large does not count: unless limits.after_oom changed, it would only be skipped again. No
// screen calls a study with a trial that is left to run done or complete.
constexpr bool is_left_to_run(TrialState state, std::optional<SkipReason> skip_reason) {
  return is_pending(state) ||
         (state == TrialState::kSkipped && skip_reason == SkipReason::kFailures);
}

// What disturbed a trial by more than its study allows (Validity). An ok trial counts and is
// marked; for an invalid one this is the reason.
enum class Disturbance {
  kNone,         // no known disturbance
  kThrottled,    // heat or the power supply slowed its clocks
  kForeignLoad,  // other processes took part of its cores
};

template <>
inline constexpr std::string_view kWords<Disturbance> = "|throttled|foreign_load";

// The kind of an annotation. kExclude also makes an ok trial invalid, with the annotation's text as
// the reason; kInclude takes that back.
enum class AnnotationKind { kNote, kExclude, kInclude };

// The reason of a trial that an annotation excludes.
inline std::string exclusion_reason(const std::string& text) {
  return "excluded by hand: " + text;
}

template <>
inline constexpr std::string_view kWords<AnnotationKind> = "note|exclude|include";

// Where the text of a LogRow is from. kEvent: an event of an unknown kind.
enum class LogStream { kStdout, kStderr, kProtocol, kEvent };

template <>
inline constexpr std::string_view kWords<LogStream> = "stdout|stderr|protocol|event";

}  // namespace scalestudy
