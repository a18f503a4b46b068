// Samples of a `command` workload from what it prints, by the study's `extract` rules.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "harness/study/declared/study.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

struct TrialOutput {
  std::istream& out;    // stdout
  std::istream& err;    // stderr
  double wall_s = 0.0;  // of the whole command
};

// Reads the output line by line and gives a record as if the program had written the trial protocol
// itself: one `samples` event for each metric, values in order of appearance, over all ranks, and
// an `end`. A carriage return ends a line too, as progress bars write them. Of a metric with as
// many values as there are steps, the first `steps.warmup` are warm-up.
//   json_path   lines that are JSON objects, also behind other text; members by dots, array
//   elements
//               by index; a number, or an array of numbers. A line without the path is passed over.
//   regex       the rule's group of the first match in a line, also with commas between thousands.
//               The search takes time linear in the line, so that no line can hold up a trial.
//   mllog_key   ":::MLLOG {"key": ..., "value": ...}" lines, as MLPerf's logging prints them.
// Of several rules for a metric the first that matches a line gives its value. Rules look at
// stdout, and where none of a metric's finds anything there, at stderr (ExtractRule::from). Times
// (metrics named ..._time_s) are given in seconds, whatever unit of time or rate the rule says;
// `parameters` are the cell's (trial_parameters), for amounts of a step. Lines over 1 MiB are
// passed over, reading stops at 4 GiB. Whatever is wrong stands in `problems`: a value that is no
// finite number (with its line), no step_time_s, a pattern that is no regular expression. A rule
// for another metric that matched nothing is one of `notes`.
protocol::Record extract_samples(const TrialOutput& output,
                                 const std::vector<ExtractRule>& rules,
                                 const Steps& steps,
                                 const Parameters& parameters);

}  // namespace scalestudy
