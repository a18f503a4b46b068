// A study as declared, after parsing: plain data, nothing resolved yet. Contract: `version: 1`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/study/declared/addition.h"
#include "harness/study/declared/analysis_options.h"
#include "harness/study/declared/cost.h"
#include "harness/study/declared/extract_rule.h"
#include "harness/study/declared/search.h"
#include "harness/study/declared/side.h"
#include "harness/study/declared/validity.h"
#include "harness/study/declared/value.h"
#include "harness/study/declared/words.h"

namespace scalestudy {

struct Axis {
  std::string name;
  std::vector<Value> values;  // in file order, no duplicates
};

// Steps of one trial. If times are given, built-in workloads exceed these numbers: they warm up
// until that time has passed and steps are steady (at most four times that long and 60 steps, 20
// times that long where steps are slow), then measure for that time (at most 10,000 steps).
struct Steps {
  int warmup = 10;       // >= 0
  int measured = 100;    // >= 1
  bool is_open = false;  // commands and epochs: all steps after the warm-up, at least `measured`
  double warmup_time_s = 0.0;
  double measured_time_s = 0.0;

  bool has_times() const { return warmup_time_s > 0.0 || measured_time_s > 0.0; }
  bool are_floors() const { return is_open || has_times(); }
};

inline constexpr int kMostTrialsOfCell = 100'000;

// trials: {count: N}, {min, max, until}, or {min, max, for: verdicts}.
struct Trials {
  int count = 5;                 // trials of each cell; the maximum if they are adaptive
  int min = 0;                   // adaptive only: no look before this many, >= 2
  std::optional<double> until;   // adaptive only: relative half-width, e.g. 0.02
  bool is_for_verdicts = false;  // a cell ends when its comparison is decided
};

enum class OrderDesign {
  kBlocks,   // randomised complete blocks: one trial of every cell per block
  kBatch,    // all trials of a cell in a row, cells in random order
  kUnknown,  // of trials that were imported; no study file asks for it
};

template <>
inline constexpr std::string_view kWords<OrderDesign> = "blocks|batch|unknown";

struct Order {
  OrderDesign design = OrderDesign::kBlocks;
  std::uint64_t seed = 42;
};

// Where the devices of a command are: on this machine, or where the harness sees nothing of them.
enum class Where { kLocal, kRemote };

template <>
inline constexpr std::string_view kWords<Where> = "local|remote";

// What becomes of cells that have a larger batch than one whose trial ran out of memory.
enum class AfterOom {
  kGoOn,
  kSkipLarger,  // cells that differ in the larger batch alone are not tried
};

template <>
inline constexpr std::string_view kWords<AfterOom> = "go_on|skip_larger";

struct Limits {
  std::optional<double> timeout_s;   // wall time of a trial; absent: run/attempt/time_limit.h
  double silence_s = 120.0;          // longest time of a trial without a new byte of output
  int retries = 1;                   // further attempts after a failed or timed out trial
  std::optional<double> max_time_s;  // for a session; its first trial is run in any case
  AfterOom after_oom = AfterOom::kGoOn;
};

struct Study {
  std::string name;  // [a-z0-9][a-z0-9-]*, names the results
  std::string title;
  Workload workload = Workload::kTrain;
  std::vector<std::string> command;  // workload command only; "{parameter}" is replaced
  std::vector<ExtractRule> extract;  // workload command only, like all members up to `versions`
  std::vector<std::string> fail_if;  // RE2; a trial that prints such a line has failed
  std::vector<std::string> setup;    // any workload: run before each trial, outside its wall time
  std::vector<std::string> cleanup;  // any workload: run after each trial, however it ended
  std::string working_folder;        // of command, setup and cleanup; "": where the harness runs
  Where where = Where::kLocal;
  std::map<std::string, std::string> environment;  // of the three; "{parameter}" is replaced
  std::map<std::string, std::vector<std::string>>
      versions;                     // command that prints a version, by name
  Parameters parameters;            // values that every cell has
  std::vector<Axis> axes;           // cartesian product
  std::vector<Parameters> zip;      // rows of axes that move together; product with `axes`
  std::vector<Parameters> include;  // extra cells
  std::vector<StudySide> sides;     // each cell is run once for each side; empty: no sides
  std::vector<std::string> build;   // run before a session's first trial, once for each side
  std::vector<std::map<std::string, std::vector<Value>>> exclude;  // rules; all keys must match
  Steps steps;
  Trials trials;
  std::optional<Search> search;  // takes the place of trials
  std::optional<LargestFit> largest;
  std::vector<CellRole> controls;  // never kMeasured
  Order order;
  Limits limits;
  Validity validity;
  AnalysisOptions analysis;
  std::optional<Cost> cost;
  std::vector<std::string> on_finish;  // command that gets a run's summary; empty: none
  std::vector<std::string> secrets;    // environment variables whose values are shown nowhere
  std::map<std::string, std::string> labels;  // heading of a parameter in reports, by its name
  // The words of publications for a value of this study: {mlp-258k: [medium]}.
  std::map<std::string, std::vector<std::string>> published_as;
  std::string report_template = "scaling";  // collective: "collective"
  std::string source_path;                  // as given, "-" for stdin
  std::string source_text;  // the YAML after --set, kept in the store; parses to an equal study
  std::vector<Addition> additions;  // read from the store, not the file (with_additions)

  bool is_remote() const { return where == Where::kRemote; }
};

}  // namespace scalestudy
