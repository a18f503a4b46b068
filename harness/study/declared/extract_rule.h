// A rule that finds samples in the output of a `command`. Contract: `version: 1` of study files.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "harness/text/words.h"
#include "workloads/names/names.h"

namespace scalestudy {

// What an extract rule reads. kOutput: stdout, or stderr if stdout has no sample of the metric.
enum class ExtractSource { kOutput, kStdout, kStderr, kWallTime };

template <>
inline constexpr std::string_view kWords<ExtractSource> = "output|stdout|stderr|wall_time";

// What stands before the decimals of a printed number. The other one may stand between thousands.
enum class DecimalMark { kPoint, kComma };

template <>
inline constexpr std::string_view kWords<DecimalMark> = "point|comma";

// Whether a JSON object ends in the line in which it begins.
enum class JsonForm { kLines, kDocument };

template <>
inline constexpr std::string_view kWords<JsonForm> = "lines|document";

// What the lines that match a condition must be: there at all, not there, one a trial, or all with
// the same text in the first group.
enum class ConditionKind { kNeeds, kNever, kOnce, kSame };

template <>
inline constexpr std::string_view kWords<ConditionKind> = "needs|never|once|same";

// What output must be like for a preset's rules to be right.
struct OutputCondition {
  ConditionKind kind = ConditionKind::kNeeds;
  std::string what;     // what such a line says or is: "size", "the header of a table"
  std::string regex;    // RE2, searched in each line
  std::string instead;  // what to do where the condition is not met
};

// How samples of a `command` are found. In its output: by json_path, by regex, or by mllog_key with
// or without json_path. Without a pattern the sample is the wall time of the whole command.
struct ExtractRule {
  std::string metric;
  std::string unit;       // unit as printed; for a time also that of a rate, "samples/s"
  std::string json_path;  // in a line's JSON object, dots between members: "train.step_time_s"
  std::string step_path;  // of the step's number beside json_path; "": none
  JsonForm json = JsonForm::kLines;  // where that object is
  std::string regex;      // RE2, searched in each line; names of groups removed but rank and step
  int group = 1;          // number of the group of `regex` that holds the value
  std::string mllog_key;  // ":::MLLOG" lines with this key; json_path in them, else "value"
  ExtractSource from = ExtractSource::kOutput;
  std::string file;  // read instead of `from`, with {placeholders}; "": none
  // How many samples (or the like) a step has, for a time printed as a rate: "512",
  // "{batch_global} * 1024".
  std::string per_step;
  std::optional<DecimalMark> decimal;  // absent: a point; commas that may be one are reported
  bool is_difference = false;          // a value is that of its line less that of the line before
  bool is_of_preset = false;           // it may change with the program
  std::vector<OutputCondition> conditions;  // of the first rule of a preset: the preset's
};

// Whether the step time is the wall time of the whole command, which is then one step.
inline bool times_whole_commands(const std::vector<ExtractRule>& rules) {
  return std::ranges::any_of(rules, [](const ExtractRule& rule) {
    return rule.metric == names::kStepTime && rule.from == ExtractSource::kWallTime;
  });
}

}  // namespace scalestudy
