// The one table of metrics that a study may judge and a report shows in columns: names, units,
// which direction is better, and what they are relative to.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

enum class MetricKind {
  kTime,   // time of a step, s
  kRate,   // amount of a step over its time
  kShare,  // fraction of 1; printed in percent
  kRatio,  // ratio of times; printed as a factor, "1.70x"
};

// The cell that a metric compares a cell with.
enum class MetricBase { kNone, kBaseline, kNoop };

struct Metric {
  std::string_view name;  // metric of estimates, or quantity of comparisons: "throughput"
  MetricKind kind;
  std::string_view unit;  // unit as stored; "1" for shares and ratios
  bool is_higher_better;
  std::string_view heading;  // heading of its column, without the unit
  std::string_view meaning;  // one phrase, for templates/README.md
  MetricBase base = MetricBase::kNone;
  bool is_target = false;     // analysis.targets may name it
  bool is_threshold = false;  // analysis.thresholds may name it
  bool has_column = false;    // the table of results has a column of it if some cell has a value
};

// All metrics, in the order of columns.
std::span<const Metric> metrics();

// The metric of that name; nullptr if the table has none.
const Metric* find_metric(std::string_view name);

// A share of 1 over the same in percent.
inline constexpr double kHundredth = 0.01;

// What sentences call the metric: "step time", "communication overhead", "peak memory"; its name if
// the table has no such metric, as of a program's own.
std::string metric_words(std::string_view name);

// A metric's name without underscores and the unit of a time: "step time", "bytes per second".
std::string plain_words(std::string name);

// Names of metrics with that flag, e.g. metric_names(&Metric::is_target).
std::vector<std::string> metric_names(bool Metric::*may_stand);

// Why analysis.metrics may not name `metric`, and what to name instead; empty if it may. Refused
// are quantities that every study compares anyway, and those that analysis computes from other
// metrics: no trial of a built-in workload has them.
// - is_command: the program is the user's own, whose metrics may have the names of computed ones.
std::string refuse_request(const std::string& metric, bool is_command);

// Whether analysis has its own metric of that name in every study: a comparison, or a cost of a
// step. A program's metric of that name cannot be asked for.
bool is_computed(std::string_view metric);

// Whether the metric depends on what a trial of `train` learned alone: it is then equal in all
// trials with the same seed and steps.
bool is_learned(std::string_view metric);

// Whether the metric is of kShare; false if the table has none of that name, like is_relative().
bool is_share(std::string_view metric);
bool is_relative(std::string_view metric);  // compares with a baseline or a control

// Whether the metric's own values are shares of 1, printed in percent: is_share(), and shares that
// trials have, such as gpu_busy_share.
bool is_fraction(std::string_view metric);

// Shares that analysis makes: what a step is spent on, over its time, by name. Each has the metrics
// of its parts; those of `train` are all of the step.
const std::map<std::string, std::vector<std::string>>& step_shares();

// Whether the unit is "%", or a word for it in whatever letters: percent, per cent, pct.
bool is_percent(std::string_view unit);

// Whether values of the metric in that unit are percentages of what has to be a share of 1.
bool is_in_percent(std::string_view metric, std::string_view unit);

}  // namespace scalestudy
