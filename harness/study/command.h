// The workload `command`: its argument vector for a cell, and the patterns that find its samples.
#pragma once

#include <string>
#include <vector>

#include "harness/study/matrix.h"
#include "harness/study/study.h"

namespace scalestudy {

// Names in `{name}` of an argument, in order; braces around anything that is no parameter name
// (JSON, say) are plain text.
std::vector<std::string> placeholders(const std::string& argument);

// study.command with each `{name}` replaced by the cell's value as text.
std::vector<std::string> expand_command(const Study& study, const Cell& cell);

struct ExtractPattern {
  std::string regex;    // what RE2 takes: group names removed
  int group = 1;        // number of the group that holds the value
  std::string problem;  // why the pattern cannot be used; empty when it can
};

// Reads a pattern with named groups, (?<name>...) or (?P<name>...). The syntax is RE2's, which
// searches a line in time linear in its length, whatever the pattern: no back-references and no
// look-around.
//   group  name or number of the group with the value; empty: the group named "value", or
//          the first.
ExtractPattern parse_extract_pattern(const std::string& pattern, const std::string& group);

struct StoredUnit {
  std::string unit;     // empty when the rule's unit is none of time
  double factor = 1.0;  // a value as printed times this is in `unit`
};

// What the values of a rule are stored in: metrics named ..._time_s in seconds, from any unit of
// time; others as the program prints them.
StoredUnit stored_unit(const ExtractRule& rule);

}  // namespace scalestudy
