// A side of `compare` as it is written on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace scalestudy {

// The parts of "[FOLDER:]STUDY[@SESSIONS]".
struct SideArgument {
  std::string folder;  // results folder; "" if none is given
  std::string study;
  std::optional<std::string> sessions;  // absent without an @, which means all
};

SideArgument parse_side(std::string text);

// The ids in a list such as "3,5-7"; absent if the text is no such list.
std::optional<std::set<std::int64_t>> parse_ids(const std::string& text);

}  // namespace scalestudy
