// What the tests of records begin them with, and how they read the reader's problems.
#pragma once

#include <string>

#include "workloads/protocol/reader.h"

namespace scalestudy::test {

// The first line of a record, of two ranks.
inline const std::string kStart = R"({"v":1,"event":"start","workload":"train","ranks":2})"
                                  "\n";

// The only problem of the record; "N problems" when there are none or several.
inline std::string one_problem(const protocol::Record& record) {
  return record.problems.size() == 1 ? record.problems.front()
                                     : std::to_string(record.problems.size()) + " problems";
}

}  // namespace scalestudy::test
