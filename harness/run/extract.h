// Samples of a `command` workload from what it prints, by the study's `extract` rules.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "harness/study/study.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

// Reads `output` (a trial's stdout) line by line and gives a record as if the program had written
// the trial protocol itself: one `samples` event for each rule, values in order of appearance, over
// all ranks, and an `end`. Of a metric with as many values as the study has steps, the first
// `steps.warmup` are warm-up.
//   json_path   lines that are JSON objects; members by dots, array elements by index; a number, or
//               an array of numbers. A line without the path is passed over.
//   regex       the rule's group of the first match in a line. The search takes time
//               linear in the line, so that no line can hold up a trial.
//   mllog_key   ":::MLLOG {"key": ..., "value": ...}" lines, as MLPerf's logging prints them.
// Times (metrics named ..._time_s) are given in seconds, whatever unit of time the rule says.
// Lines over 1 MiB are passed over, reading stops at 4 GiB.
// Whatever is wrong stands in `problems`: a value that is no finite number (with its line), no
// step_time_s, a pattern that is no regular expression. A rule for another metric that found
// nothing is one of `notes`.
protocol::Record extract_samples(std::istream& output,
                                 const std::vector<ExtractRule>& rules,
                                 const Steps& steps);

}  // namespace scalestudy
