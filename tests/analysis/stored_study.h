// A study in memory whose trials the tests write as a runner would.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy::test {

// One attempt at one trial.
struct Attempt {
  std::string cell;  // hash
  std::int64_t block = 0;
  TrialState state = TrialState::kOk;
  bool retry = false;  // another attempt follows
  std::vector<SeriesRow> series = {};
  std::optional<double> foreign_load = std::nullopt;
  double steal = 0.0;  // cores' worth
  bool oversubscribed = false;
  std::vector<TelemetryRow> facts = {};  // facts that the workload reports
  Disturbance disturbance = Disturbance::kNone;
  double wall_s = 1.8;
  std::optional<int> signal = std::nullopt;
};

inline SeriesRow step_times(std::vector<double> values, int warmup) {
  return {.metric = "step_time_s",
          .unit = "s",
          .rank = std::nullopt,
          .warmup_n = warmup,
          .values = std::move(values)};
}

class StoredStudy {
 public:
  // Plans `blocks` trials of every cell that is not excluded.
  StoredStudy(Scaling scaling, const std::vector<CellRow>& cells, std::int64_t blocks)
      : store_(Store::open_in_memory()) {
    StudyRow row;
    row.name = "by-hand";
    row.scaling = scaling;
    study_id_ = store_.put_study(row);
    store_.put_cells(study_id_, cells, "");
    for (const CellRow& cell : store_.cells(study_id_)) {
      ids_[cell.hash] = cell.id;
    }
    std::vector<TrialRow> plan;
    for (std::int64_t block = 0; block < blocks; ++block) {
      for (const CellRow& cell : cells) {
        TrialRow trial;
        trial.cell_id = ids_.at(cell.hash);
        trial.block = block;
        trial.position = static_cast<std::int64_t>(plan.size());
        trial.state = cell.excluded_reason ? TrialState::kExcluded : TrialState::kPlanned;
        plan.push_back(trial);
      }
    }
    store_.put_plan(study_id_, plan, "no longer in the study");
    next_session();
  }

  // Trials finished from here on are of another invocation of `run`, with that fact told of it.
  void next_session(const EnvironmentRow& fact = {"cores", "2"}) {
    SessionRow session;
    session.study_id = study_id_;
    session.started_at = "2026-11-21T10:00:00Z";
    session_id_ = store_.begin_session(session, {fact});
  }

  void finish(const Attempt& attempt) {
    TrialRecord record;
    record.trial = planned(attempt.cell, attempt.block);
    store_.mark_running(record.trial.id, session_id_, "2026-11-21T10:00:01Z");
    record.trial.state = attempt.state;
    record.trial.session_id = session_id_;
    record.trial.foreign_load = attempt.foreign_load;
    record.trial.oversubscribed = attempt.oversubscribed;
    record.trial.wall_s = attempt.wall_s;
    record.trial.signal = attempt.signal;
    record.trial.disturbance = attempt.disturbance;
    if (attempt.state == TrialState::kInvalid && attempt.disturbance != Disturbance::kNone) {
      record.trial.reason = to_word(attempt.disturbance) + ": more than the study allows";
    }
    record.series = attempt.series;
    record.telemetry = attempt.facts;
    record.telemetry.push_back({"steal", attempt.steal, "cores"});
    store_.finish_trial(record, attempt.retry);
  }

  const Store& store() const { return store_; }
  Store& store() { return store_; }
  std::int64_t study_id() const { return study_id_; }
  std::int64_t cell_id(const std::string& hash) const { return ids_.at(hash); }

 private:
  // The row that waits to be run; looked up once a cell and block, which may have several attempts.
  TrialRow planned(const std::string& hash, std::int64_t block) {
    const std::pair key(ids_.at(hash), block);
    if (!waiting_.contains(key)) {
      for (const TrialRow& trial : store_.trials(study_id_)) {
        if (trial.state == TrialState::kPlanned) {
          waiting_[{trial.cell_id, trial.block}] = trial;
        }
      }
    }
    TrialRow trial = waiting_.at(key);
    waiting_.erase(key);
    return trial;
  }

  Store store_;
  std::int64_t study_id_ = 0;
  std::int64_t session_id_ = 0;
  std::map<std::string, std::int64_t> ids_;
  std::map<std::pair<std::int64_t, std::int64_t>, TrialRow> waiting_;
};

}  // namespace scalestudy::test
