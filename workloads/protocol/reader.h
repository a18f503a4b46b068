// Reads the file that a trial wrote and trusts nothing in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/protocol/events.h"

namespace scalestudy::protocol {

// Limits of a file, far beyond what a real trial writes; what exceeds them is reported and left
// out.
struct ReadLimits {
  std::size_t line_bytes = 64U << 20U;
  std::size_t file_bytes = 1U << 30U;     // reading stops there
  std::size_t lines = 2'000'000;          // reading stops there
  std::size_t values = 20'000'000;        // over the whole file
  std::size_t unknown_bytes = 1U << 20U;  // of unknown events kept
  std::size_t text_bytes = 4096;          // of a detail, message or version; the rest is cut off
  std::size_t members = 1000;             // of facts, versions or parameters
  std::size_t metrics = 1000;
  std::size_t problems = 100;  // listed; further ones are counted in one last problem
  int ranks = 65'536;
};

// How many steps the lines of a log stand for, if they do not show each step.
struct CoveredSteps {
  std::int64_t steps = 0;
  std::int64_t warmup = 0;       // of them
  std::int64_t interval = 1;     // from a line to the next
  std::int64_t resumptions = 0;  // how often the program began again
};

struct Record {
  std::vector<Event> events;          // in file order; only whole, valid ones
  std::vector<std::string> unknown;   // lines with an event this version does not know, kept whole
  std::vector<std::string> notes;     // about what is missing, but fails no trial
  std::vector<std::string> problems;  // "line 4: values[17] is null, a finite number is required"
  bool truncated = false;             // the last line had no newline and was dropped
  bool has_bad_numbers = false;       // one of the problems is a value that is no finite number
  std::optional<CoveredSteps> covered;  // absent: each value of step_time_s is a step
};

// Reads the file of one trial. Never throws on content: `problems` lists whatever is wrong, and the
// good lines are kept.
// - path: a regular file; anything else (missing, a folder, a pipe) is one problem.
// - returns: a record that lacks `start` or `end` if the trial crashed, which the caller judges.
// - throws: std::bad_alloc only.
Record read_record(const std::string& path, const ReadLimits& limits = {});

// Reads the record of one trial from a text in memory.
Record parse_record(std::string_view text, const ReadLimits& limits = {});

}  // namespace scalestudy::protocol
