// The row of one attempt of a trial.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/store/rows/trial_words.h"
#include "harness/study/declared/words.h"

namespace scalestudy {

// Steps that take more of wall_s are impossible; a program's own clock may be a little off.
inline constexpr double kMostStepsShare = 1.05;

// An attempt of a trial. (cell's hash, plan, block, attempt) names it in every store.
struct TrialRow {
  std::int64_t id = 0;
  std::int64_t study_id = 0;
  std::int64_t cell_id = 0;
  std::string plan;  // results folder in which it was planned; blocks of two plans are distinct
  std::int64_t block = 0;
  std::int64_t position = 0;  // of imported trials see launch_order.h
  std::int64_t attempt = 1;   // from 1; only the last attempt of a (cell, plan, block) counts
  bool superseded = false;    // as read from a store: a later attempt exists
  TrialState state = TrialState::kPlanned;
  std::string reason;                     // why it is not ok; "" when ok
  std::optional<SkipReason> skip_reason;  // absent: not skipped, or an older store does not say
  std::optional<std::int64_t> session_id;
  std::optional<std::string> started_at;
  std::optional<double> wall_s;
  std::optional<int> exit_code;  // of setup if that failed
  std::optional<int> signal;
  std::optional<double> foreign_load;  // cores used by other processes; 0: it ran alone
  bool oversubscribed = false;
  std::string hosts;        // names of its nodes by node rank, "n0,n1"; "": not run or unknown
  std::int64_t deaths = 0;  // sessions that began this attempt and stored no end, its or theirs
  std::optional<double> steps_share;     // all step times over wall_s; absent without step times
  std::optional<double> arrival_step_s;  // by lines that came one by one (run/outcome)
  Disturbance disturbance = Disturbance::kNone;
  SearchPart part = SearchPart::kNone;
  TrialProvenance provenance = TrialProvenance::kMeasured;
  bool has_block = true;  // false: imported without a declared block; `block` is a mere number
  bool has_order = true;  // false: imported without an order of launch; so is `position`
  // Of an imported trial its log as named ("runs.log#3": the third run in it), and its hash.
  std::optional<std::string> source;
  std::optional<std::string> source_hash;
  std::optional<std::string> rules_hash;  // reading.h; absent: no rules read it, or an older store
};

// Whether n_planned counts it: the last attempt at a trial that is neither excluded nor skipped.
inline bool is_in_plan(const TrialRow& trial) {
  return !trial.superseded && trial.state != TrialState::kExcluded &&
         trial.state != TrialState::kSkipped;
}

// The block that a trial ran in: its session and number, which only together identify it.
using SessionBlock = std::pair<std::optional<std::int64_t>, std::int64_t>;
inline SessionBlock session_block(const TrialRow& trial) {
  return {trial.session_id, trial.block};
}

}  // namespace scalestudy
