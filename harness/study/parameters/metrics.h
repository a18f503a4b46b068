// The metrics that a study may judge and a report shows in columns, once: what each is called, its
// unit, which direction is better, and what it is relative to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

enum class MetricKind {
  kTime,   // of a step, s
  kRate,   // amount of a step over its time
  kShare,  // of 1; printed in percent
  kRatio,  // of times; printed as a factor, "1.70x"
};

// What a metric compares a cell with.
enum class MetricBase { kNone, kBaseline, kNoop };

struct Metric {
  std::string_view name;  // of estimates, or quantity of comparisons: "throughput"
  MetricKind kind;
  std::string_view unit;  // as stored; "1" of shares and ratios
  bool is_higher_better;
  std::string_view heading;  // of a column, without the unit
  std::string_view meaning;  // one phrase, for templates/README.md
  MetricBase base = MetricBase::kNone;
  bool is_target = false;     // analysis.targets may name it
  bool is_threshold = false;  // analysis.thresholds may
  bool has_column = false;    // in the table of results, where some cell has it
  bool has_figure = false;    // against devices, likewise
};

// In the order of columns.
std::span<const Metric> metrics();

// nullptr of one that is no row of the table.
const Metric* find_metric(std::string_view name);

// In a sentence: "step time", "communication overhead"; one that is no row of the table by its
// name.
std::string metric_words(std::string_view name);

// Names of the metrics that may stand somewhere: metric_names(&Metric::is_target).
std::vector<std::string> metric_names(bool Metric::*may_stand);

// Why analysis.metrics may not name it, and what to name instead; "" when it may. A comparison of
// every study bears no second metric's values; what analysis makes of other metrics no trial of a
// built-in workload has.
//   is_command  the program is the user's own, whose metrics may be called what is made elsewhere.
std::string refuse_request(const std::string& metric, bool is_command);

// Whether it follows from what a trial of `train` learned, and so is the same in all trials that
// have one seed and the same steps.
bool is_learned(std::string_view metric);

// False of what is no row of the table.
bool is_share(std::string_view metric);
bool is_relative(std::string_view metric);  // to a baseline or a control

}  // namespace scalestudy
