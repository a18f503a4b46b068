// The rows of the store as C++ values: one struct a table, field = column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

// Where a number comes from; every row of a result has one, and they never mix in a statistic.
enum class Provenance { kMeasured, kPublished, kProjected, kScenario };

std::string format_provenance(Provenance provenance);

enum class TrialState {
  kPlanned,
  kRunning,
  kOk,
  kFailed,
  kTimeout,
  kOom,
  kInvalid,      // ran, but its conditions or its output were not acceptable
  kUnsupported,  // the workload said this machine cannot do it
  kSkipped,      // not run, by a limit or a user's decision
  kExcluded,     // of a cell that an exclude rule took out
};

std::string format_trial_state(TrialState state);       // "ok", "failed", ...
TrialState parse_trial_state(const std::string& text);  // throws Error{kStore}

// ---- what happened ---------------------------------------------------------------------------

struct StudyRow {
  std::int64_t id = 0;
  std::string name;  // unique
  std::string title;
  std::string hash;  // study_hash
  std::string source_path;
  std::string source_text;
  std::string scaling = "none";  // strong | weak | none
};

struct SessionRow {
  std::int64_t id = 0;
  std::int64_t study_id = 0;
  std::string started_at;                  // UTC
  std::optional<std::string> finished_at;  // absent: still running, or killed
  std::string ending;                      // "", "done", "interrupted", "max_time", "error"
  std::string host;
  std::string tool_version;
  std::string tool_revision;
  std::string study_hash;
  std::uint64_t order_seed = 0;  // stored as text: SQLite integers are signed
};

struct EnvironmentRow {
  std::string name;  // "cpu_model", "mpi_version", "git_revision" ...
  std::string value;
};

struct CellRow {
  std::int64_t id = 0;
  std::int64_t study_id = 0;
  std::string hash;
  std::string role = "measured";  // measured | noop | aa
  std::string label;
  std::int64_t devices = 1;
  std::int64_t nodes = 1;
  std::optional<std::int64_t> batch_global;
  std::optional<std::int64_t> batch_per_device;
  std::optional<std::string> control_of;  // hash
  std::optional<std::string> baseline;    // hash
  std::optional<std::string> baseline_problem;
  std::optional<std::string> excluded_reason;  // present: nothing of this cell is run
  bool oversubscribed = false;                 // more ranks x threads than cores, or shared devices
  struct Parameter {
    std::string name;
    std::string value;  // canonical text
    std::string kind;   // flag | integer | real | text
    bool varied = false;
  };
  std::vector<Parameter> parameters;  // table cell_parameter
};

struct TrialRow {
  std::int64_t id = 0;
  std::int64_t study_id = 0;
  std::int64_t cell_id = 0;
  std::int64_t block = 0;
  std::int64_t position = 0;
  std::int64_t attempt = 1;  // from 1; only the last attempt of a (cell, block) counts
  TrialState state = TrialState::kPlanned;
  std::string reason;  // why it is not ok; "" when ok
  std::optional<std::int64_t> session_id;
  std::optional<std::string> started_at;
  std::optional<double> wall_s;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<double> foreign_load;  // cores' worth of other processes' CPU time, 0 = alone
  bool oversubscribed = false;
};

// One metric of one trial, over all ranks (rank absent) or of one rank.
struct SeriesRow {
  std::string metric;
  std::string unit;
  std::optional<int> rank;
  int warmup_n = 0;
  std::vector<double> values;  // warm-up first; stored as a JSON array that reads back bit-equal
};

struct TelemetryRow {
  std::string name;  // "foreign_load", "steal", "max_rss_bytes", "cpu_s", facts of the workload ...
  double value = 0.0;
  std::string unit;
};

struct LogRow {
  std::string stream;  // stdout | stderr | protocol | event (an unknown event's text)
  std::string path;    // relative to the results folder; "" for event
  std::string text;    // event's text, or the last lines of a failed trial's output
};

// What one finished attempt leaves; written in one transaction.
struct TrialRecord {
  TrialRow trial;
  std::vector<SeriesRow> series;
  std::vector<TelemetryRow> telemetry;
  std::vector<LogRow> logs;
};

// ---- what analysis made of it ----------------------------------------------------------------

// One statistic of one metric of one cell. value/lo/hi are in `unit`; absent when status is not ok.
struct EstimateRow {
  std::int64_t cell_id = 0;
  std::string metric;     // step_time_s, throughput, forward_time_s, cost_per_million_samples ...
  std::string statistic;  // mean | p50 | p95 | p99
  std::string variant;    // all | screened (flagged trials left out)
  std::string unit;
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> sd;  // between trials
  double confidence = 0.95;
  std::string method;           // id as in stats/METHODS.md: mean_ci_t ...
  std::int64_t n = 0;           // trials used
  std::int64_t n_excluded = 0;  // ok trials left out by `variant`
  std::int64_t n_planned = 0;
  std::string status;  // ok | insufficient_data | ...; see stats
  std::string provenance = "measured";
};

// One cell against another.
struct ComparisonRow {
  std::int64_t cell_id = 0;
  std::int64_t baseline_cell_id = 0;
  std::string quantity;  // speedup | efficiency | communication_overhead | aa
  std::string scaling;   // strong | weak | none
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
  double confidence = 0.95;
  std::optional<double> p_value;
  std::optional<double> p_adjusted;  // Holm over the study's comparisons of this quantity
  std::optional<double> equivalence_p;
  std::optional<double> equivalence_p_adjusted;
  std::string method;  // log_ratio_paired | log_ratio_delta
  std::int64_t n = 0;  // trials of the cell, or pairs
  std::int64_t n_baseline = 0;
  double margin = 0.0;
  std::string verdict;  // faster | slower | equivalent | no detectable difference | not enough data
  std::string finding;  // the verdict as a sentence with its numbers, for reports
  std::string status;
  std::string provenance = "measured";
};

struct ThresholdRow {
  std::int64_t id = 0;
  std::string metric;  // speedup | efficiency
  double level = 1.0;
  std::string along;        // axis
  std::string group_label;  // the other varied parameters: "devices=2 model=mlp-4096"
  std::string
      status;  // crossed | crossed_down | always | not_reached | multiple | unresolved | ...
  std::optional<double> bracket_lo;
  std::optional<double> bracket_hi;
  std::optional<double> estimate;
  std::optional<double> lo;
  std::optional<double> hi;
  bool censored_lo = false;
  bool censored_hi = false;
  double confidence = 0.95;
  std::string method;
  std::int64_t rungs = 0;
  std::string finding;  // sentence
  std::string provenance = "measured";
};

// One parameter of one fitted law.
struct LawRow {
  std::string law;  // amdahl | usl
  std::string group_label;
  std::string parameter;  // serial_fraction, t1_s, sigma, kappa, lambda, lack_of_fit_p, max_speedup
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
  double confidence = 0.95;
  std::string method;
  std::int64_t n = 0;
  std::int64_t levels = 0;  // distinct device counts
  std::string status;
  std::string finding;  // sentence, on the law's first row
  std::string provenance = "measured";
};

struct TargetResultRow {
  std::string name;
  std::string metric;
  std::optional<std::int64_t> cell_id;  // absent: no cell matches
  std::string bound;                    // at_least | at_most
  double level = 0.0;
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
  std::string verdict;  // met | missed | undecided
  std::string finding;
  std::string provenance = "measured";
};

// A remark on what the results can bear: drift, foreign load, few trials, oversubscription ...
struct ThreatRow {
  std::string
      kind;  // drift | foreign_load | few_trials | oversubscribed | failed_trials | outliers ...
  std::string severity;  // note | warning
  std::string finding;   // sentence with its numbers
};

// A trial or its steps that a declared rule marks; never deleted.
struct FlagRow {
  std::int64_t trial_id = 0;
  std::string level;            // trial | step
  std::string rule;             // modified-z > 3.5
  std::int64_t count = 0;       // flagged steps; 1 at trial level
  double share = 0.0;           // of the measured steps' time spent in them; trial level: 1
  std::optional<double> score;  // trial level
};

struct Results {
  std::vector<EstimateRow> estimates;
  std::vector<ComparisonRow> comparisons;
  std::vector<ThresholdRow> thresholds;
  std::vector<LawRow> laws;
  std::vector<TargetResultRow> targets;
  std::vector<ThreatRow> threats;
  std::vector<FlagRow> flags;
};

}  // namespace scalestudy
