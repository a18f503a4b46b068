// A study as declared, after parsing: plain data, nothing resolved yet. Contract: `version: 1`.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/study/words.h"

namespace scalestudy {

// One parameter value. Numbers keep their kind so that the trial gets the JSON the user meant.
using Value = std::variant<bool, std::int64_t, double, std::string>;

// Canonical text: "true", "4096", "0.2" (shortest form that reads back equal), "Ring".
std::string format_value(const Value& value);

// Parameters by name, e.g. {"devices": 2, "model": "mlp-4096", "env.NCCL_ALGO": "Ring"}.
using Parameters = std::map<std::string, Value>;

struct Axis {
  std::string name;
  std::vector<Value> values;  // in file order, no duplicates
};

// Of one trial. With a time the built-in workloads go on beyond these numbers: warm-up until it has
// lasted that long and steps are steady (at most four times that long and 60 steps, or 20 times
// that long where steps are slow), then as many measured steps as will last that long (10,000 at
// most for its sake). 0: exactly so many steps.
struct Steps {
  int warmup = 10;     // >= 0
  int measured = 100;  // >= 1
  double warmup_time_s = 0.0;
  double measured_time_s = 0.0;

  bool has_times() const { return warmup_time_s > 0.0 || measured_time_s > 0.0; }
};

// trials: {count: N}, or {min, max, until}.
struct Trials {
  int count = 5;                // trials of each cell; with `until`, the maximum
  int min = 0;                  // adaptive only: no look before this many, >= 2
  std::optional<double> until;  // adaptive only: relative half-width, e.g. 0.02
};

enum class OrderDesign {
  kBlocks,  // randomised complete blocks: one trial of every cell per block
  kBatch,   // all trials of a cell in a row, cells in random order
};

template <>
inline constexpr std::string_view kWords<OrderDesign> = "blocks|batch";

struct Order {
  OrderDesign design = OrderDesign::kBlocks;
  std::uint64_t seed = 42;
};

struct Limits {
  double timeout_s = 600.0;          // one trial, wall time
  double silence_s = 120.0;          // one trial without a new byte of output
  int retries = 1;                   // further attempts after a failed or timed out trial
  std::optional<double> max_time_s;  // a session; its first trial is run in any case
};

enum class OutlierMethod { kModifiedZ, kTukey };

template <>
inline constexpr std::string_view kWords<OutlierMethod> = "modified-z|tukey";

struct OutlierRule {
  OutlierMethod rule = OutlierMethod::kModifiedZ;
  double threshold = 3.5;  // modified-z: |M|; tukey: multiples of the IQR
};

// What a threshold may run along though it is no axis: how many parameters the model has, as its
// trials report.
inline constexpr const char* kParameterCount = "parameter_count";

struct ThresholdRequest {
  std::string metric;  // of metrics.h, those that are thresholds
  double level = 1.0;
  std::string along;  // a numeric axis, or kParameterCount
};

struct Target {
  std::string name;
  std::string metric;              // of metrics.h, those that are targets
  Parameters where;                // axis values that select the cells
  std::optional<double> at_least;  // exactly one of the two
  std::optional<double> at_most;
};

struct AnalysisOptions {
  double confidence = 0.95;  // in (0.5, 1)
  OutlierRule outliers;
  Parameters baseline;   // e.g. {devices: 1}; empty: no comparisons
  double margin = 0.02;  // in (0, 1): smaller relative differences do not matter to this study
  std::vector<ThresholdRequest> thresholds;
  std::vector<Law> laws;
  std::vector<Target> targets;
};

struct Cost {
  double per_device_hour = 0.0;  // > 0
  std::string currency = "USD";
};

// How a `command` workload's samples are found in its output; exactly one of the patterns.
struct ExtractRule {
  std::string metric;
  std::string unit;
  std::string json_path;  // JSON Lines on stdout: dotted path, e.g. "train.step_time_s"
  std::string regex;      // RE2, searched in each line of stdout; names of groups removed
  int group = 1;          // of regex: number of the group that holds the value
  std::string mllog_key;  // ":::MLLOG" lines with this key
};

struct Study {
  std::string name;  // [a-z0-9][a-z0-9-]*, names the results
  std::string title;
  Workload workload = Workload::kTrain;
  std::vector<std::string> command;  // workload command only; "{parameter}" is replaced
  std::vector<ExtractRule> extract;  // workload command only
  Parameters parameters;             // the same for every cell
  std::vector<Axis> axes;            // cartesian product
  std::vector<Parameters> zip;       // rows of axes that move together; product with `axes`
  std::vector<Parameters> include;   // extra cells
  std::vector<std::map<std::string, std::vector<Value>>> exclude;  // all keys must match
  Steps steps;
  Trials trials;
  std::vector<CellRole> controls;  // never kMeasured
  Order order;
  Limits limits;
  AnalysisOptions analysis;
  std::optional<Cost> cost;
  std::vector<std::string> on_finish;  // command that gets a run's summary; empty: none
  std::vector<std::string> secrets;    // environment variables whose values are shown nowhere
  std::map<std::string, std::string> labels;  // what a report calls a parameter, by its name
  std::string report_template = "scaling";    // collective: "collective"
  std::string source_path;                    // as given, "-" for stdin
  std::string source_text;  // the YAML after --set, kept in the store; parses to an equal study
};

}  // namespace scalestudy
