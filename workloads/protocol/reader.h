// Reads what a trial wrote. Nothing in it is trusted.
#pragma once

#include <string>
#include <vector>

#include "workloads/protocol/events.h"

namespace scalestudy::protocol {

struct ReadLimits {
  std::size_t line_bytes = 64U << 20U;    // a longer line is refused
  std::size_t file_bytes = 1U << 30U;
  std::size_t values = 20'000'000;        // over the whole file
  int ranks = 65'536;
};

struct Record {
  std::vector<Event> events;              // in file order
  std::vector<std::string> unknown;       // lines with an event this version does not know, kept whole
  std::vector<std::string> problems;      // "line 4: values[17] is null, a finite number is required"
  bool truncated = false;                 // the last line had no newline and was dropped
};

// Never throws on content: whatever is wrong stands in `problems`, and the good lines are kept.
// A missing file is one problem.
Record read_record(const std::string& path, const ReadLimits& limits = {});

// The same for text already in memory.
Record parse_record(const std::string& text, const ReadLimits& limits = {});

}  // namespace scalestudy::protocol
