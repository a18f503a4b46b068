#include "workloads/parameters/rank_pair.h"

#include <charconv>

namespace scalestudy::protocol {

std::optional<RankPair> read_pair(std::string_view text) {
  RankPair pair;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, pair.first);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') {
    return std::nullopt;
  }
  const auto second = std::from_chars(first.ptr + 1, end, pair.second);
  const bool is_whole = second.ec == std::errc{} && second.ptr == end;
  return is_whole && pair.first >= 0 && pair.second >= 0 ? std::optional(pair) : std::nullopt;
}

std::string check_pair(std::string_view text, std::int64_t ranks) {
  const std::string what = "pair is \"" + std::string(text) + "\", ";
  if (text == kHalves) {
    return ranks % 2 == 0 ? ""
                          : what + "but " + std::to_string(ranks) +
                                " devices have no equal halves; give an even number, or a pair";
  }
  const std::optional<RankPair> pair = read_pair(text);
  if (!pair) {
    return what + "allowed: two ranks, as 0-1, and halves";
  }
  if (pair->first >= pair->second) {
    return what + "write the lower of two ranks first";
  }
  return pair->second < ranks ? ""
                              : what + "but " + std::to_string(ranks) +
                                    " devices are the ranks 0 to " + std::to_string(ranks - 1);
}

}  // namespace scalestudy::protocol
