// The state of a study in the store: what its run is doing now, or how its last run ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/run/process/lock.h"
#include "harness/store/store.h"
#include "harness/submit/jobs.h"
#include "harness/text/words.h"

namespace scalestudy {

// - planned: nothing of it has run yet, as after `submit --prepare`.
// - waiting: a run of the study waits until another one no longer measures on this machine.
// - running: a run of the study is going on.
// - interrupted: its run vanished without storing an end: killed, or the machine went down.
// - stopped: its run ended before the plan did: by a signal, a limit or an error.
// - partly done: its run did what it was to do, and trials are left: of other blocks, or of cells
//   that kept failing. Page one of a report says the same word.
// - done: no trial is left that a run would run.
// - imported: its trials were read from logs.
enum class RunState {
  kPlanned,
  kWaiting,
  kRunning,
  kInterrupted,
  kStopped,
  kPartlyDone,
  kDone,
  kImported
};

template <>
inline constexpr std::string_view kWords<RunState> =
    "planned|waiting|running|interrupted|stopped|partly done|done|imported";

inline constexpr std::string_view kWaitingForMachine =
    "waiting for the machine (another run measures)";

// An attempt that the lines about a study name.
struct NamedTrial {
  std::int64_t id = 0;
  std::string name;  // "trial 7: devices=2  block 3  attempt 2"
  std::string state;
  std::string reason;
};

struct StudyState {
  StudyRow study;
  RunState state = RunState::kDone;
  std::optional<SessionRow> session;          // the study's last session
  std::map<TrialState, std::int64_t> trials;  // number of trials in the plan, last attempts only
  std::int64_t given_up = 0;     // skipped because their cells kept failing; the next run runs them
  std::optional<double> idle_s;  // since the last session ended, else since it began
  std::optional<double> eta_s;   // time left of a running study; absent until one ended ok
  std::optional<NamedTrial> current;  // trial that runs, or ran when the run was killed
  std::optional<NamedTrial> failure;  // the last failed trial that no retry made good
  bool is_imported = false;
  bool has_jobs = false;  // submitted: its sessions are those of jobs gathered so far

  std::int64_t left() const;      // trials that are planned, running or given up
  std::int64_t done() const;      // trials that have run, ok or not
  std::int64_t unusable() const;  // trials that have run and did not end ok
};

// Reads the state of one study. Of a study that does not run the store counts the trials, so that
// no row a trial is read.
// - holder: who holds the run lock of this store's results folder; absent if nobody does.
// - now: UTC, as Clock::utc_now() writes it.
StudyState study_state(const Store& store,
                       const StudyRow& study,
                       const std::optional<LockHolder>& holder,
                       const std::string& now);

// The state's word. A submitted study goes on in its jobs: the sessions that were gathered from
// them may be without an end because they still run. Where nobody can be asked, one that was only
// prepared is planned.
// - results: the folder that `jobs` were submitted from.
std::string word_with_jobs(const StudyState& state,
                           const std::vector<StudyJob>& jobs,
                           const std::string& results);

// "demo: [ 3/20] devices=2 batch_global=100  block 1". Times are left out, so that the text changes
// only when the state does.
std::string progress_text(const StudyState& state);

// Lines for people: what is going on or how the run ended, the current trial, the last failure and
// its log, and what to do next. Empty for a study that is done without failures. `results` is the
// folder as the user named it.
std::vector<std::string> describe(const StudyState& state,
                                  const Store& store,
                                  const std::string& results);

}  // namespace scalestudy
