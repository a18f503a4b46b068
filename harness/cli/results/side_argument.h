// How a side of `compare` is written on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace scalestudy {

// "[FOLDER:]STUDY[@SESSIONS]"
struct SideArgument {
  std::string folder;  // of results; empty: not given
  std::string study;
  std::string sessions;  // empty: all
};

SideArgument parse_side(std::string text);

// "3,5-7" as ids; nullopt of anything else.
std::optional<std::set<std::int64_t>> parse_ids(const std::string& text);

}  // namespace scalestudy
