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

struct TrialEvidence {
  LaunchResult launch;
  protocol::Record record;
  Steps steps;  // how many step_time_s values there must be, with floors in time at least
  std::optional<std::int64_t>
      ranks;  // how many the start event must name; absent: not ours to know
  std::optional<std::int64_t> nodes{};  // likewise of its fact node_count, where it has one
  bool oom_killed = false;              // the kernel's out-of-memory killer struck during the trial
  std::string stderr_tail;              // its last lines
  double timeout_s = 0.0;
  double silence_s = 0.0;
  std::vector<std::string> secrets{};  // that no reason tells; secret_values()
};

struct Outcome {
  TrialState state = TrialState::kFailed;
  std::string reason;  // empty only when ok
};

// ok needs: exit code 0, an `end` that is ok, no problem in the record, all checks passed, and one
// step_time_s above 0 for every declared step; a time or number that is none is invalid.
// `evidence.launch.ending` is not kInterrupted.
Outcome judge_trial(const TrialEvidence& evidence);

// "SIGSEGV"; "signal 64" for one without a name.
std::string signal_name(int signal);

// How the process itself ended, whatever it wrote: nothing when it ended well.
std::optional<Outcome> judge_launch(const TrialEvidence& evidence);

// The last `count` lines of `text`, which may end in the middle of a line.
std::string last_lines(const std::string& text, std::size_t count);

}  // namespace scalestudy
