// Rows about what happened: studies, sessions, cells, trials and what they left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/annotation_rows.h"
#include "harness/store/rows/result_words.h"
#include "harness/store/rows/trial_words.h"
#include "harness/study/declared/words.h"

namespace scalestudy {

struct StudyRow {
  std::int64_t id = 0;
  std::string name;  // unique
  std::string title;
  std::string hash;  // study_hash
  std::string source_path;
  std::string source_text;
  Scaling scaling = Scaling::kNone;
};

struct SessionRow {
  std::int64_t id = 0;
  std::string uid;  // the same in every store; "": begin_session makes one
  std::int64_t study_id = 0;
  std::string started_at;                  // UTC
  std::optional<std::string> finished_at;  // absent: still running, or killed
  SessionEnding ending = SessionEnding::kNone;
  std::string host;
  std::string tool_version;
  std::string tool_revision;
  std::string study_hash;
  std::uint64_t order_seed = 0;           // stored as text: SQLite integers are signed
  std::optional<std::string> study_text;  // as this session ran it; absent before schema version 3
};

struct EnvironmentRow {
  std::string name;  // "cpu_model", "mpi_version", "git_revision" ...
  std::string value;
};

struct CellRow {
  std::int64_t id = 0;
  std::int64_t study_id = 0;
  std::string hash;
  CellRole role = CellRole::kMeasured;
  std::string label;
  std::int64_t devices = 1;
  std::int64_t nodes = 1;
  std::optional<std::int64_t> batch_global;
  std::optional<std::int64_t> batch_per_device;
  std::optional<std::string> control_of;  // hash
  std::optional<std::string> baseline;    // hash
  std::optional<std::string> baseline_problem;
  std::optional<std::string> excluded_reason;  // if present, no trial of the cell is run or counts
  bool oversubscribed = false;                 // ranks x threads exceed cores, or share devices
  struct Parameter {
    std::string name;
    std::string value;  // canonical text
    ValueKind kind = ValueKind::kText;
    bool varied = false;
    std::optional<bool> is_default = {};  // of the workload, given or not; absent in older stores
    // The value's finite number, by its kind; absent for a flag and for text, such as "2.10".
    [[nodiscard]] std::optional<double> number() const;
  };
  std::vector<Parameter> parameters;  // table cell_parameter
};

// An attempt of a trial. (cell's hash, plan, block, attempt) names it in every store.
struct TrialRow {
  std::int64_t id = 0;
  std::int64_t study_id = 0;
  std::int64_t cell_id = 0;
  std::string plan;  // results folder in which it was planned; blocks of two plans are distinct
  std::int64_t block = 0;
  std::int64_t position = 0;
  std::int64_t attempt = 1;  // from 1; only the last attempt of a (cell, plan, block) counts
  bool superseded = false;   // as read from a store: a later attempt exists
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
  std::int64_t deaths = 0;  // times the harness died while it ran this attempt or read its output
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

// The block that a trial ran in: its session and number, which only together identify it.
using SessionBlock = std::pair<std::optional<std::int64_t>, std::int64_t>;
inline SessionBlock session_block(const TrialRow& trial) {
  return {trial.session_id, trial.block};
}

struct SeriesRow {
  std::string metric;
  std::string unit;
  std::optional<int> rank;  // absent: over all ranks
  int warmup_n = 0;
  std::vector<double> values;  // warm-up first; stored as a JSON array that reads back bit-equal
};

// The step time of one trial, from which throughput and all comparisons follow.
struct StepTime {
  std::int64_t steps = 0;  // measured, >= 1
  double mean_s = 0.0;
  StepTimeDefinition definition = StepTimeDefinition::kSteps;
  std::optional<int> slowest_rank;  // rank whose steps add up to the window; absent: not known
};

struct TelemetryRow {
  std::string name;  // "foreign_load", "steal", "max_rss_bytes", "cpu_s", facts of the workload ...
  double value = 0.0;
  std::string unit;
};

struct LogRow {
  LogStream stream = LogStream::kStdout;
  std::string path;  // relative to the results folder; "" for event
  std::string text;  // event's text, or the last lines of a failed trial's output
};

// Everything that one finished attempt leaves; written in one transaction.
struct TrialRecord {
  TrialRow trial;
  std::vector<SeriesRow> series;
  std::vector<TelemetryRow> telemetry;
  std::vector<LogRow> logs;
};

}  // namespace scalestudy
