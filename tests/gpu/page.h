// What a machine with GPUs was found to do, held against what was declared it must.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace scalestudy::test {

// One measured line: what a section wrote as {"name": ..., "value": ..., "unit": ...}.
struct Line {
  std::string section;
  std::string name;
  std::optional<double> value;  // absent: it could not be measured, or is not finite
  std::string unit;
  // "lo" and "hi": the interval of the value, in the same unit, where it has one.
  std::optional<double> lo = std::nullopt;
  std::optional<double> hi = std::nullopt;
  std::string skipped{};  // why it was not to be measured here; "" of the others
};

// The name of a line that stands for all that its section would have measured: it is skipped, or
// without a value it did not finish.
inline constexpr const char* kWholeSection = "the section";

// The range declared for lines whose section and name match; a '*' at the end of a name stands for
// anything. Numbers are in the lines' units.
struct Band {
  std::string section;
  std::string name;
  std::optional<double> least;
  std::optional<double> most;
  bool is_optional = false;  // no line need match
  std::string why{};         // where its ends come from
};

struct Verdict {
  Line line;
  std::string band;    // "0.2 to 0.75", "at most 1e-05"
  std::string reason;  // of a failure, empty when it passed
  std::string why{};   // of the band
};

// Reads the lines of a section's file. Throws std::invalid_argument for a line that is no such
// object.
std::vector<Line> parse_lines(const std::string& section, const std::string& text);
// A JSON list of objects with Band's members. Throws std::invalid_argument.
std::vector<Band> parse_bands(const std::string& text);

// Every line against the first band that matches it; then what was declared and not measured, which
// for a section without lines is one verdict. A line without a band, and one without a value, fail;
// so does one whose interval leaves the band. Skipped ones neither pass nor fail.
std::vector<Verdict> judge(const std::vector<Line>& lines, const std::vector<Band>& bands);

bool has_passed(const std::vector<Verdict>& verdicts);
// What passed, failed and was skipped, a section a line.
std::string format_checklist(const std::vector<Verdict>& verdicts);
// machine  what it is, a line each.
std::string format_json(const std::vector<Verdict>& verdicts, const std::string& machine);
std::string format_markdown(const std::vector<Verdict>& verdicts, const std::string& machine);

}  // namespace scalestudy::test
