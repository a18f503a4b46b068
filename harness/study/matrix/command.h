// The workload `command`: its argument vector for a cell, and the patterns that find its samples.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Names in `{name}` of an argument, in order; braces around anything that is no parameter name
// (JSON, say) are plain text.
std::vector<std::string> placeholders(const std::string& argument);

// Names that a command may use beside parameters and axes: devices, nodes and the four below.
std::vector<std::string> launch_names();

inline constexpr const char* kMasterPort = "{master_port}";  // a free port, new for each trial
// A folder of the trial's own, which is empty when it starts and kept with its logs.
inline constexpr const char* kTrialFolder = "{trial_folder}";
// For a cell on one node these are "0" and "127.0.0.1".
inline constexpr const char* kNodeRank = "{node_rank}";         // each node's own, from 0
inline constexpr const char* kMasterAddress = "{master_addr}";  // where others reach node 0

// Replaces each `{name}` by the cell's value as text. kMasterPort and kTrialFolder are kept, and so
// are the other two if the cell has several nodes. Throws Error{kUsage} if a name has no value in
// the cell.
std::string expand_argument(const std::string& argument, const Cell& cell);
std::vector<std::string> expand_arguments(const std::vector<std::string>& arguments,
                                          const Cell& cell);

// The name of a pattern's group that holds the rank which a line's value is of.
inline constexpr const char* kRankGroup = "rank";

// Likewise of the group that holds the number of the step.
inline constexpr const char* kStepGroup = "step";

// Whether the rule reads the number of a step.
bool reads_steps(const ExtractRule& rule);

struct ExtractPattern {
  std::string regex;    // pattern for RE2, group names removed but those two
  int group = 1;        // number of the group that holds the value
  std::string problem;  // why the pattern cannot be used; empty if it can
};

// Why a regular expression cannot be used as RE2's; "" if it can.
std::string check_pattern(const std::string& pattern);

// Reads a pattern with named groups, (?<name>...) or (?P<name>...). The syntax is RE2's, which
// searches a line in time linear in its length, whatever the pattern: no back-references and no
// look-around.
// - group: name or number of the group with the value; empty: the group named "value", or the
//   first.
ExtractPattern parse_extract_pattern(const std::string& pattern, const std::string& group);

// The unit in which a rule's values are stored. Metrics named ..._time_s: seconds, converted from
// any unit of time or from a rate; ..._bytes and ..._bytes_per_s: bytes and bytes/s, from any unit
// of size; ..._s (no rate), ..._hz, ..._w and ..._j: that unit, from its multiples; shares that
// is_in_percent() knows: "1", from percent; others: as printed.
struct StoredUnit {
  std::string unit;           // empty if the metric cannot be converted from the rule's unit
  double factor = 1.0;        // stored = printed * factor * amount of a step
  bool is_rate = false;       // then stored = factor * amount of a step / printed
  bool needs_amount = false;  // the unit counts something else than steps: "samples/s", "ms/token"
  bool is_of_steps = false;   // a time of steps, lines or epochs: "s/it", "s/10it", "s/epoch"
  double steps = 1.0;         // that a printed time covers by the unit alone: 10 of "s/10it"
};

StoredUnit stored_unit(const ExtractRule& rule);

// The rule as text for hashes and lists of changes. A key that is not given adds nothing, so that
// older studies keep their hashes.
std::string rule_text(const ExtractRule& rule);

// The factors of ExtractRule::per_step: numbers above 0 and names of parameters, "{name}".
struct StepAmount {
  double number = 1.0;
  std::vector<std::string> names;
  std::vector<std::string> divisors;  // names behind a "/"
  std::string problem;                // why the text is no amount; empty if it is one
};

StepAmount parse_step_amount(const std::string& text);

// The amount as a number.
// - value: of a name.
double value_of(const StepAmount& amount,
                const std::function<double(const std::string& name)>& value);

// How many steps a printed time covers: 10 of s/10it, and of ms/line if a step is 0.1 of a line;
// those of an epoch of s/epoch. 1 for a step of one or more of what the unit counts, for a rate,
// and for a time of samples or bytes, which is a rate upside down.
// - amount: of a step, by per_step; 1 without.
double steps_of_value(const ExtractRule& rule, double amount);

}  // namespace scalestudy
