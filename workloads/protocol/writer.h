// Writes the events of one trial as JSON Lines.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "workloads/protocol/events.h"

namespace scalestudy::protocol {

// Not thread-safe; rank 0's main thread only. Every event is flushed as one whole line.
class Writer {
 public:
  // path  SCALESTUDY_OUTPUT; "-" writes to stdout. Throws std::runtime_error when it cannot be
  // opened.
  explicit Writer(const std::string& path);

  // Throws std::invalid_argument for a value that is not finite or a name outside the grammar, and
  // std::runtime_error when the line cannot be written.
  void write(const Event& event);

 private:
  struct Closer {
    void operator()(std::FILE* file) const;
  };
  std::unique_ptr<std::FILE, Closer> file_;
};

// One event as its line, without the newline.
std::string format_event(const Event& event);

}  // namespace scalestudy::protocol
