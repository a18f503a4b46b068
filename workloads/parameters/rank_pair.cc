#include "workloads/parameters/rank_pair.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace scalestudy::protocol {
namespace {

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

}  // namespace

std::vector<RankPair> read_pairs(std::string_view text) {
  std::vector<RankPair> pairs;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::optional<RankPair> pair = read_pair(text.substr(begin, end - begin));
    if (!pair) {
      return {};
    }
    pairs.push_back(*pair);
    begin = end + 1;
  }
  return pairs;
}

std::string check_pair(std::string_view text, std::int64_t ranks) {
  const std::string what = "pair is \"" + std::string(text) + "\", ";
  if (text == kHalves) {
    return ranks % 2 == 0 ? ""
                          : what + "but " + std::to_string(ranks) +
                                " devices have no equal halves; give an even number, or a pair";
  }
  const std::vector<RankPair> pairs = read_pairs(text);
  if (pairs.empty()) {
    return what + "allowed: two ranks, as 0-1, such pairs at once, as 0-1+2-3, and halves";
  }
  std::set<std::int64_t> busy;
  for (const RankPair& pair : pairs) {
    if (pair.first >= pair.second) {
      return what + "write the lower of two ranks first";
    }
    if (pair.second >= ranks) {
      return what + "but " + std::to_string(ranks) + " devices are the ranks 0 to " +
             std::to_string(ranks - 1);
    }
    for (const std::int64_t rank : {pair.first, pair.second}) {
      if (!busy.insert(rank).second) {
        return what + "but rank " + std::to_string(rank) + " can be in one pair at a time only";
      }
    }
  }
  return "";
}

}  // namespace scalestudy::protocol
