// Words of sessions, trials and their logs.
#pragma once

#include <string>

#include "harness/text/words.h"

namespace scalestudy {

// kNone: none yet, or killed.
enum class SessionEnding { kNone, kDone, kInterrupted, kMaxTime, kError };

template <>
inline constexpr std::string_view kWords<SessionEnding> = "|done|interrupted|max_time|error";

enum class TrialState {
  kPlanned,
  kRunning,
  kOk,
  kFailed,
  kTimeout,
  kOom,
  kInvalid,      // ran, but its conditions or its output were not acceptable
  kUnsupported,  // the workload said this machine cannot do it
  kSkipped,      // not run, by a limit or a user's decision
  kExcluded,     // of a cell that an exclude rule took out
};

template <>
inline constexpr std::string_view kWords<TrialState> =
    "planned|running|ok|failed|timeout|oom|invalid|unsupported|skipped|excluded";

// What disturbed a trial by more than its study allows (Validity). Of an ok trial: it counts and is
// marked; of an invalid one: why it does not.
enum class Disturbance {
  kNone,         // nothing that is known
  kThrottled,    // heat or the power supply slowed its clocks
  kForeignLoad,  // other processes took part of its cores
};

template <>
inline constexpr std::string_view kWords<Disturbance> = "|throttled|foreign_load";

// What somebody says of a trial. kExclude also makes an ok one invalid, with what is said as its
// reason; kInclude takes that back, with why.
enum class AnnotationKind { kNote, kExclude, kInclude };

// Of a trial that is excluded so.
inline std::string exclusion_reason(const std::string& text) {
  return "excluded by hand: " + text;
}

template <>
inline constexpr std::string_view kWords<AnnotationKind> = "note|exclude|include";

// kEvent: the text of an unknown event.
enum class LogStream { kStdout, kStderr, kProtocol, kEvent };

template <>
inline constexpr std::string_view kWords<LogStream> = "stdout|stderr|protocol|event";

}  // namespace scalestudy
