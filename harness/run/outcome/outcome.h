// What a trial's end means: launch result and protocol record -> state and reason. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/run/process/launcher.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

// What is known of a trial that has ended.
struct TrialEvidence {
  LaunchResult launch;
  protocol::Record record;
  Steps steps;  // number of step_time_s values there must be; the least, with floors in time
  // Ranks that the start event must name; absent for a `command`, which starts its own.
  std::optional<std::int64_t> ranks;
  std::optional<std::int64_t> nodes{};  // what its fact node_count must be, if it has one
  // Whether its exit codes mean what workloads/protocol/FORMAT.md says; those of others may not.
  bool has_protocol_codes = false;
  bool oom_killed = false;  // the kernel's out-of-memory killer struck during the trial
  std::string stderr_tail;  // the last lines of stderr
  std::string fail_line{};  // FailLines::declared; "" if no line fails the trial
  std::string results{};    // its results folder, for a reason that names it
  double timeout_s = 0.0;   // the deadlines that the trial had
  double silence_s = 0.0;
  std::vector<std::string> secrets{};  // values that no reason may tell; secret_values()
};

struct Outcome {
  TrialState state = TrialState::kFailed;
  std::string reason;  // empty only when ok
};

// Judges a trial, which was not interrupted. ok needs exit code 0, no line that fails it, an `end`
// that is ok, a record without problems, all checks passed, and a step_time_s above 0 for every
// declared step. A value that is no valid time or number makes it invalid.
Outcome judge_trial(const TrialEvidence& evidence);

// The name of a signal, "SIGSEGV"; "signal 64" if it has none.
std::string signal_name(int signal);

// How the process failed, whatever it wrote; absent when it ended well.
std::optional<Outcome> judge_launch(const TrialEvidence& evidence);

// The last `count` lines of `text`, which may end in the middle of a line.
std::string last_lines(const std::string& text, std::size_t count);

}  // namespace scalestudy
