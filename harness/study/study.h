// A study as declared, after parsing: plain data, nothing resolved yet. Contract: `version: 1`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/study/analysis_options.h"
#include "harness/study/cost.h"
#include "harness/study/extract_rule.h"
#include "harness/study/side.h"
#include "harness/study/value.h"
#include "harness/study/words.h"

namespace scalestudy {

struct Axis {
  std::string name;
  std::vector<Value> values;  // in file order, no duplicates
};

// Of one trial. With a time the built-in workloads go on beyond these numbers: warm-up until it has
// lasted that long and steps are steady (at most four times that long and 60 steps, or 20 times
// that long where steps are slow), then as many measured steps as will last that long (10,000 at
// most for its sake). 0: exactly so many steps.
struct Steps {
  int warmup = 10;       // >= 0
  int measured = 100;    // >= 1
  bool is_open = false;  // of a command: whatever follows the warm-up, `measured` (1) at least
  double warmup_time_s = 0.0;
  double measured_time_s = 0.0;

  bool has_times() const { return warmup_time_s > 0.0 || measured_time_s > 0.0; }
  bool are_floors() const { return is_open || has_times(); }
};

// trials: {count: N}, {min, max, until}, or {min, max, for: verdicts}.
struct Trials {
  int count = 5;                 // trials of each cell; of the others, the maximum
  int min = 0;                   // adaptive only: no look before this many, >= 2
  std::optional<double> until;   // adaptive only: relative half-width, e.g. 0.02
  bool is_for_verdicts = false;  // a cell ends when its comparison is decided
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

// What a trial that ran out of memory means for cells that differ from its own in a larger batch.
enum class AfterOom {
  kGoOn,
  kSkipLarger,  // they are not tried
};

template <>
inline constexpr std::string_view kWords<AfterOom> = "go_on|skip_larger";

struct Limits {
  std::optional<double> timeout_s;   // one trial, wall time; absent: run/time_limit.h finds one
  double silence_s = 120.0;          // one trial without a new byte of output
  int retries = 1;                   // further attempts after a failed or timed out trial
  std::optional<double> max_time_s;  // a session; its first trial is run in any case
  AfterOom after_oom = AfterOom::kGoOn;
};

// What becomes of a trial that ran beside more foreign load, or on slower clocks, than the study
// allows: it counts and is marked; it is kept apart and run again; it is and the run ends.
enum class DisturbancePolicy { kFlag, kRequeue, kAbort };

template <>
inline constexpr std::string_view kWords<DisturbancePolicy> = "flag|requeue|abort";

// When a fixed product is timed that tells whether the machine is still the same.
enum class Calibration { kNone, kBlocks };

template <>
inline constexpr std::string_view kWords<Calibration> = "none|blocks";

// Which workloads get a confirm run, for cells that set NCCL variables: train and collective, all or
// none.
enum class Confirm { kBuiltIn, kAlways, kNever };

template <>
inline constexpr std::string_view kWords<Confirm> = "built_in|always|never";

// What a trial needs of the machine. Shares in [0, 1]. Judged by the machine's counters alone: a
// trial's own step times have no part in it.
struct Validity {
  DisturbancePolicy policy = DisturbancePolicy::kFlag;
  int requeues = 2;               // of a trial, at most
  double foreign_load = 0.03;     // of the cores, what other processes may take
  double throttled = 0.0;         // of the time, what heat or the power supply may slow clocks
  double gpu_utilization = 0.05;  // before a trial begins
  double gpu_memory = 0.10;       // likewise, in use
  // Before each trial, at most, for a machine that is that idle; absent: see idle_wait().
  std::optional<double> idle_wait_s;
  Calibration calibration = Calibration::kBlocks;
  Confirm confirm = Confirm::kBuiltIn;

  // 0: no wait. Where trials are requeued by default a minute.
  double idle_wait() const {
    return idle_wait_s.value_or(policy == DisturbancePolicy::kRequeue ? 60.0 : 0.0);
  }
};

struct Study {
  std::string name;  // [a-z0-9][a-z0-9-]*, names the results
  std::string title;
  Workload workload = Workload::kTrain;
  std::vector<std::string> command;  // workload command only; "{parameter}" is replaced
  std::vector<ExtractRule> extract;  // workload command only, as what follows
  std::vector<std::string> setup;    // run before each trial, outside its wall time
  std::vector<std::string> cleanup;  // run after each, however it ended
  std::string working_folder;        // of all three; "": where the harness runs
  std::map<std::string, std::string> environment;            // of all three; "{parameter}" too
  std::map<std::string, std::vector<std::string>> versions;  // what tells a version, by its name
  Parameters parameters;                                     // the same for every cell
  std::vector<Axis> axes;                                    // cartesian product
  std::vector<Parameters> zip;      // rows of axes that move together; product with `axes`
  std::vector<Parameters> include;  // extra cells
  std::vector<StudySide> sides;     // each cell once for each of them; empty: as it stands
  std::vector<std::string> build;   // run before a session's first trial, once for each side
  std::vector<std::map<std::string, std::vector<Value>>> exclude;  // all keys must match
  Steps steps;
  Trials trials;
  std::vector<CellRole> controls;  // never kMeasured
  Order order;
  Limits limits;
  Validity validity;
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
