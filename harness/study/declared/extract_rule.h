// A rule by which samples of a `command` are found. Contract: `version: 1` of study files.
#pragma once

#include <string>

#include "harness/text/words.h"

namespace scalestudy {

// What an extract rule reads. kOutput: stdout, and where that has none of the metric, stderr.
enum class ExtractSource { kOutput, kStdout, kStderr, kWallTime };

template <>
inline constexpr std::string_view kWords<ExtractSource> = "output|stdout|stderr|wall_time";

// How a `command` workload's samples are found. Of the output: json_path, regex, or mllog_key with
// or without json_path. Of the wall time of the whole command: no pattern.
struct ExtractRule {
  std::string metric;
  std::string unit;       // as printed; of a time also a rate, "samples/s"
  std::string json_path;  // in a line's JSON object, dots between members: "train.step_time_s"
  std::string regex;      // RE2, searched in each line; names of groups removed
  int group = 1;          // of regex: number of the group that holds the value
  std::string mllog_key;  // ":::MLLOG" lines with this key; json_path in them, else "value"
  ExtractSource from = ExtractSource::kOutput;
  std::string per_step;  // of a time as a rate: how many a step, "512", "{batch_global} * 1024"
  bool is_difference = false;  // values are those of one line less those of the one before
};

}  // namespace scalestudy
