// Writes the events of one trial as JSON Lines.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "workloads/protocol/events.h"

namespace scalestudy::protocol {

struct FileCloser {
  void operator()(std::FILE* file) const;
};

// Writes a trial's events, each flushed as one whole line. Rank 0's main thread only.
class Writer {
 public:
  // Opens `path`, the value of SCALESTUDY_OUTPUT; "-" writes to stdout. Throws std::runtime_error
  // when it cannot be opened.
  explicit Writer(const std::string& path);

  // Throws std::invalid_argument for a value that is not finite or a name outside the grammar, and
  // std::runtime_error when the line cannot be written.
  void write(const Event& event);

 private:
  std::unique_ptr<std::FILE, FileCloser> file_;
};

// Ends the record of a run that failed; any rank may call. Adds the check that did not pass, if
// any, and `end` to the file at `path`, unless another rank has ended it. Throws std::runtime_error
// when no Writer has made the file, when the record breaks off within a line, or when it cannot be
// written.
void end_failed(const std::string& path, const std::optional<Check>& check, const End& end);

// The line of one event, without the newline.
std::string format_event(const Event& event);

// The value of a parameter with its type, so that the workload gets the JSON the user meant.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

// The text of SCALESTUDY_PARAMETERS: one JSON object, names in order. Doubles are the shortest that
// read back equal. Throws std::invalid_argument for a value that is not finite.
std::string format_parameters(const std::map<std::string, ParameterValue>& parameters);

}  // namespace scalestudy::protocol
