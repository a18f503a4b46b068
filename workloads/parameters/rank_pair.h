// Which ranks of `collective` exchange messages in a ping-pong: the words of its parameter `pair`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy::protocol {

// The word for pairs of each rank of the lower half with its counterpart in the upper one.
inline constexpr std::string_view kHalves = "halves";

struct RankPair {
  std::int64_t first = 0;
  std::int64_t second = 0;
};

// {0, 2} of "0-2", {0, 2} and {1, 3} of "0-2+1-3"; none of anything else, "halves" included.
std::vector<RankPair> read_pairs(std::string_view text);

// Why `text` names no pairs among so many ranks, a sentence that begins with the parameter; empty
// if it does name some.
std::string check_pair(std::string_view text, std::int64_t ranks);

}  // namespace scalestudy::protocol
