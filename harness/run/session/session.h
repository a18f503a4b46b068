// One session of a study: the loop over its planned trials.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/attempt/attempt.h"
#include "harness/run/machine/surroundings.h"
#include "harness/run/session/adaptive.h"
#include "harness/run/session/eta.h"
#include "harness/run/session/further_attempts.h"
#include "harness/run/session/prepared_study.h"
#include "harness/run/session/repeated_failures.h"
#include "harness/run/world/progress.h"
#include "harness/run/world/world.h"
#include "harness/store/store.h"

namespace scalestudy {

// Extends the plan once all of it has been run; false when there is nothing more to run.
using ExtendPlan = std::function<bool()>;

// Runs one session of a prepared study. Not reusable: construct, run(), done.
class Session {
 public:
  Session(const PreparedStudy& prepared,
          Store& store,
          const RunWorld& world,
          const RunOptions& options,
          const std::function<void(const Progress&)>& on_progress,
          const std::atomic<bool>& stop,
          ExtendPlan extend = {});

  // Runs planned trials, and then those that the plan is extended by, until none is left or a limit
  // is reached. Begins and ends the session's row. An exception ends the row as "error" and plans
  // the running trial again, as far as the store can be written, and goes on to the caller.
  RunSummary run(const SessionRow& session, const std::vector<EnvironmentRow>& environment);

 private:
  enum class Step { kGoOn, kInterrupted };

  // Why a cell is measured no further.
  struct GivenUp {
    SkipReason reason = SkipReason::kFailures;
    std::string sentence;
  };

  [[nodiscard]] std::vector<TrialRow> trials_of_plan() const;
  void end_by_error();
  void load();
  void load_planned();
  void confirm();
  SessionEnding run_planned();
  [[nodiscard]] bool is_out_of_time(const TrialRow& next) const;
  Step run_trial(TrialRow trial);
  // - next: set to the id of the attempt after this one; absent when this one was the last.
  Step run_one_attempt(const TrialRow& planned, std::optional<std::int64_t>& next);
  [[nodiscard]] bool has_usual_folder(const TrialRow& trial) const;
  void give_up(TrialRow trial);
  void skip_larger(const TrialRow& ended);
  void skip(TrialRow trial);
  void explain_failures(const TrialRow& last);
  [[nodiscard]] const TrialRow* next_to_run() const;  // nullptr: no trial left in this session
  void keep(const TrialRow& trial, const std::optional<StepTime>& time, bool is_final);
  void report_start(const TrialRow& trial, const std::string& waiting = "") const;
  void report_end(const TrialRecord& record,
                  const std::optional<StepTime>& time,
                  bool is_final) const;
  [[nodiscard]] Progress progress(const TrialRow& trial) const;
  void skip_beyond_precision();
  void give_up_decided();
  [[nodiscard]] std::int64_t complete_blocks() const;
  [[nodiscard]] RunSummary summarise(const std::vector<TrialRow>& trials) const;

  const PreparedStudy& prepared_;
  Store& store_;
  const RunWorld& world_;
  const RunOptions& options_;
  const std::function<void(const Progress&)>& on_progress_;
  const std::atomic<bool>& stop_;
  const ExtendPlan extend_;

  std::int64_t session_id_ = 0;
  std::optional<std::int64_t> running_;  // trial that the store may have as running
  bool names_plan_ = false;              // as for TrialFiles; of the plans that the session finds
  double started_s_ = 0.0;
  double last_end_s_ = 0.0;        // end of the last attempt; before one, the session's start
  std::int64_t suspended_ms_ = 0;  // value of suspended_ms at that moment
  std::int64_t run_now_ = 0;
  std::vector<TrialRow> planned_;             // trials still to run, in order
  std::size_t next_ = 0;                      // index into planned_
  std::int64_t done_before_ = 0;              // trials of the plan that earlier sessions finished
  std::int64_t done_ = 0;                     // finished trials of the plan
  std::map<std::int64_t, BlockMeans> means_;  // means of ok trials, by cell
  FurtherAttempts attempts_;
  Surroundings surroundings_;
  Eta eta_;
  TimeLimits time_limits_;
  RepeatedFailures failures_;
  std::map<std::int64_t, GivenUp> given_up_;  // cells whose other trials are skipped
  std::string stopped_;  // why the session stops with trials left; "" if it does not
  SessionEnding stopped_by_ = SessionEnding::kInterrupted;  // with stopped_
  std::int64_t stopping_ = 0;   // first block of those whose precision is looked at
  std::int64_t last_look_ = 0;  // number of complete blocks when open_cells was last asked
};

}  // namespace scalestudy
