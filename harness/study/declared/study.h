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

// Of one trial. With a time the built-in workloads go on beyond these numbers: warm-up until it has
// lasted that long and steps are steady (at most four times that long and 60 steps, 20 times that
// long where steps are slow), then measured steps that will last that long (at most 10,000).
struct Steps {
  int warmup = 10;       // >= 0
  int measured = 100;    // >= 1
  bool is_open = false;  // of a command, and of epochs: whatever follows the warm-up, `measured`
                         // (1) at least
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
  std::optional<Search> search;    // instead of trials
  std::vector<CellRole> controls;  // never kMeasured
  Order order;
  Limits limits;
  Validity validity;
  AnalysisOptions analysis;
  std::optional<Cost> cost;
  std::vector<std::string> on_finish;  // command that gets a run's summary; empty: none
  std::vector<std::string> secrets;    // environment variables whose values are shown nowhere
  std::map<std::string, std::string> labels;  // what a report calls a parameter, by its name
  // What publications call a value of this study: {mlp-258k: medium}.
  std::map<std::string, std::string> published_as;
  std::string report_template = "scaling";  // collective: "collective"
  std::string source_path;                  // as given, "-" for stdin
  std::string source_text;  // the YAML after --set, kept in the store; parses to an equal study
  std::vector<Addition> additions;  // not of the file but of the store (with_additions)
};

}  // namespace scalestudy
