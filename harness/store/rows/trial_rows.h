// Rows about what happened: studies, sessions, cells, and what trials left.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/store/rows/result_words.h"
#include "harness/store/rows/trial_row.h"
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

struct SeriesRow {
  std::string metric;
  std::string unit;
  std::optional<int> rank;  // absent: over all ranks
  int warmup_n = 0;
  std::vector<double> values;  // warm-up first; stored as a JSON array that reads back bit-equal
};

// Makes percentages of a share, which earlier versions stored as they were printed, shares of 1.
void make_share(SeriesRow& series);

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

// How many steps a step time of the trial covers, as its telemetry tells: those from one line to
// the next (step_interval), or those of the epoch, say, whose time is printed (steps_of_value). 1
// without such telemetry.
double covered_steps(std::span<const TelemetryRow> telemetry);

struct LogRow {
  LogStream stream = LogStream::kStdout;
  std::string path;  // relative to the results folder; "" for event
  std::string text;  // event's text, or the last lines of a failed trial's output
};

// A later annotation of an attempt. Annotations are never changed or removed.
struct AnnotationRow {
  std::int64_t trial_id = 0;
  std::string at;  // UTC
  AnnotationKind kind = AnnotationKind::kNote;
  std::string text;
};

// Everything that one finished attempt leaves; written in one transaction.
struct TrialRecord {
  TrialRow trial;
  std::vector<SeriesRow> series;
  std::vector<TelemetryRow> telemetry;
  std::vector<LogRow> logs;
};

}  // namespace scalestudy
