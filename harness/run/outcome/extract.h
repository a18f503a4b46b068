// Samples of a `command` workload from what it prints, by the study's `extract` rules.
#pragma once

#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "harness/run/outcome/step_coverage.h"
#include "harness/study/declared/study.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

// A file that rules read (ExtractRule::file).
struct ResultFile {
  std::string declared;  // its path as the rules have it
  std::unique_ptr<std::istream> text{};
  std::string problem{};  // why it cannot be read: "was not written by the trial"; "" if it can
};

struct TrialOutput {
  std::istream& out;    // stdout
  std::istream& err;    // stderr
  double wall_s = 0.0;  // of the whole command
  std::vector<ResultFile> files{};
  StepLines* step_lines = nullptr;  // if given, gets the lines with step times
  bool is_log = false;  // one log holds stdout and stderr: `err` is the same text as `out`
};

// Reads the output line by line and gives a record as if the program had written the trial protocol
// itself: an `end`, and a `samples` event for each metric, with its values of all ranks in order of
// appearance. A carriage return ends a line too, as progress bars write them; colours and other
// escape sequences of terminals are taken out. If a metric has as
// many values as there are steps, the first `steps.warmup` are warm-up.
//
// What a rule finds in a line:
// - json_path: a number, or an array of numbers, in the line's JSON objects, which text may
//   surround. Members are named by dots, array elements by index. A line without the path is passed
//   over; one that begins as a JSON object and is none is a bad number, as is one that names the
//   path's last member outside of an object. NaN and Infinity are read as numbers, which are bad.
// - regex: the rule's group of the first match, also with commas between thousands. The search
//   takes time linear in the line, so that no line can hold up a trial. A group that is part of a
//   number, or beside another unit than the rule's, is a bad number (beside_group.h).
// - mllog_key: the value of a line ":::MLLOG {"key": ..., "value": ...}", as MLPerf's logging
//   prints it.
//
// If several rules for a metric match a line, the first gives its value. Rules look at stdout, and
// at stderr if none for the metric finds anything there (ExtractRule::from), or at a file. What a
// preset must never have is looked for in both streams. Lines over 1 MiB and UTF-16 are passed over
// and told (fact unread_output); reading stops at 4 GiB.
// Times (metrics named ..._time_s) come in seconds, whatever unit of time or rate the rule has.
// - parameters: the cell's (trial_parameters), for amounts of a step.
// - steps: a value of the warm-up that is not finite, or a step_time_s of 0, is missing (NaN).
// - returns: a record whose `problems` name each value that is no finite number (with its line), a
//   missing step_time_s, and each pattern that is no regular expression. Its `notes` name rules for
//   other metrics that matched nothing, and metrics whose commas may be decimal ones (fact
//   commas.METRIC).
protocol::Record extract_samples(const TrialOutput& output,
                                 const std::vector<ExtractRule>& rules,
                                 const Steps& steps,
                                 const Parameters& parameters);

}  // namespace scalestudy
