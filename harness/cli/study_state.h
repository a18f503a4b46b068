// What a study in the store is doing now, or how its last run left it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/process/lock.h"
#include "harness/store/store.h"
#include "harness/text/words.h"

namespace scalestudy {

// running      a run of it goes on
// interrupted  its run is gone without a word: killed, or the machine went down
// stopped      its run ended before the plan did: by a signal, a limit or an error
// done         no trial of the plan is left
enum class RunState { kRunning, kInterrupted, kStopped, kDone };

template <>
inline constexpr std::string_view kWords<RunState> = "running|interrupted|stopped|done";

struct StudyState {
  StudyRow study;
  RunState state = RunState::kDone;
  std::optional<SessionRow> session;          // the last one
  std::map<TrialState, std::int64_t> trials;  // of the plan, last attempts
  std::optional<double> idle_s;     // since the last session ended, or began if it did not
  std::optional<double> eta_s;      // of a live run, once a trial has ended ok
  std::optional<TrialRow> current;  // the trial that runs, or ran when the run was killed
  std::optional<TrialRow> failure;  // that ended last, not ok, and was not made good since
  std::map<std::int64_t, std::string> labels;  // of cells, by id
  bool has_jobs = false;  // it was submitted: sessions are its jobs', as of when they were gathered

  std::int64_t left() const;      // planned, or running
  std::int64_t done() const;      // have run
  std::int64_t unusable() const;  // of those, not ok
};

//   holder  of the lock of this store's results folder
//   now     UTC
StudyState study_state(const Store& store,
                       const StudyRow& study,
                       const std::optional<LockHolder>& holder,
                       const std::string& now);

// "demo: [ 3/20] devices=2 batch_global=100  block 1"; what only runs down is not in it.
std::string progress_text(const StudyState& state);

// Lines for people: what goes on or how the run ended, the current trial, the last failure and its
// log, what to do next. Nothing of a study that is done without failures.
//   results  the folder as the user named it
std::vector<std::string> describe(const StudyState& state,
                                  const Store& store,
                                  const std::string& results);

}  // namespace scalestudy
