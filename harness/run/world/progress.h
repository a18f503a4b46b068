// What a run is asked for and what it tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/store/rows/trial_words.h"

namespace scalestudy {

struct RunOptions {
  bool accept_changes = false;  // a changed study goes on instead of being refused
  bool retry_failed = false;    // run trials again that did not end ok, those unsupported included
  std::optional<std::int64_t> max_trials{};  // stop after this many, as if interrupted
  std::set<std::string> cells{};             // hashes of those to run alone; empty: all, and more
  bool is_traced = false;                    // trials write traces: not to be measured
  // Only these, first to last, from 0: a part of the plan, of a study that is not adaptive.
  std::optional<std::pair<std::int64_t, std::int64_t>> blocks{};

  [[nodiscard]] bool has_block(std::int64_t block) const {
    return !blocks || (block >= blocks->first && block <= blocks->second);
  }
};

// What the terminal shows; called from run_study's thread.
struct Progress {
  std::int64_t done = 0;        // trials finished, earlier sessions included
  std::int64_t planned = 0;     // trials of the plan
  std::optional<double> eta_s;  // absent until this session has ended a trial, and one is ok
  std::string cell_label;
  std::int64_t cell_block = 0;
  std::int64_t trial_id = 0;
  std::optional<TrialState> state;  // absent: the trial starts; present: it has ended so
  std::string reason;
  std::string cleanup;  // "cleanup: exit code 1": that behind the trial failed; "": it did not
  std::string waiting;  // why the trial does not start yet; "": it does
  Disturbance disturbance = Disturbance::kNone;
  std::optional<double> step_time_s;          // mean of the finished trial
  std::optional<double> relative_half_width;  // of the cell's step time so far
  double trial_wall_s = 0.0;
};

struct RunSummary {
  std::map<TrialState, std::int64_t> states;  // of the plan's trials (last attempts)
  std::int64_t run_now = 0;                   // trials launched by this call
  bool interrupted = false;
  bool out_of_time = false;  // limits.max_time_s reached
  // Why the run stopped with trials left to run: all attempts failed alike (RepeatedFailures), or
  // the machine is not as validity.policy abort asks for.
  std::string stopped;
  std::vector<std::string> given_up;  // cells whose other trials were skipped, and why
};

}  // namespace scalestudy
