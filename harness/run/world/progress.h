// What a run is asked for and what it reports.
#pragma once

#include <cstdint>
#include <functional>
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
  bool retry_failed = false;    // trials that did not end ok, also unsupported ones, run again
  std::optional<std::int64_t> max_trials{};  // stop after this many
  std::set<std::string> cells{};  // hashes of the only cells to run; empty: all, and what rules add
  bool is_traced = false;         // trials write traces and are not to be measured
  // The only blocks to run, first to last, from 0; for studies that are not adaptive.
  std::optional<std::pair<std::int64_t, std::int64_t>> blocks{};
  bool is_judged = false;  // the answer is taken to be about the programs as they are now
  // Tells what has changed since the stored trials were run, if the run goes on nevertheless; a
  // warning if the answer is about what was before. Also how many trials it takes up again that an
  // earlier run skipped.
  std::function<void(const std::string& text, bool is_warning)> tell{};

  [[nodiscard]] bool has_block(std::int64_t block) const {
    return !blocks || (block >= blocks->first && block <= blocks->second);
  }
};

// What the terminal shows of a run; reported from run_study's thread.
struct Progress {
  std::int64_t done = 0;     // trials finished, earlier sessions included
  std::int64_t planned = 0;  // trials of the plan
  // Time left; absent until this session has ended a trial, and some trial was ok.
  std::optional<double> eta_s;
  std::string cell_label;
  std::int64_t cell_block = 0;
  std::int64_t trial_id = 0;
  std::optional<TrialState> state;  // how the trial ended; absent: it starts
  std::string reason;
  std::string beside;   // "cleanup: exit code 1", or what setup left running; else ""
  std::string waiting;  // why the trial does not start yet; "" if it starts
  Disturbance disturbance = Disturbance::kNone;
  // Mean of the finished trial; absent where whole commands are timed, as trial_wall_s says that.
  std::optional<double> step_time_s;
  std::optional<double> relative_half_width;  // how well the cell's step time is known so far
  double trial_wall_s = 0.0;
};

// How a run ended.
struct RunSummary {
  std::map<TrialState, std::int64_t> states;  // number of the plan's trials by their last state
  std::int64_t excluded_by_hand = 0;          // of the invalid ones
  std::int64_t run_now = 0;                   // attempts launched by this call
  double beside_s = 0.0;                      // mean time of an attempt beside its wall time (Eta)
  bool interrupted = false;                   // trials are left, for any reason but limits.max_time
  bool out_of_time = false;                   // limits.max_time_s reached
  // Why the run stopped with trials left to run: all attempts failed alike (RepeatedFailures), or
  // the machine is not as validity.policy abort asks for.
  std::string stopped;
  std::vector<std::string> given_up;  // a sentence for each cell whose other trials were skipped
};

}  // namespace scalestudy
