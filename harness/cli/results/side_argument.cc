#include "harness/cli/results/side_argument.h"

#include <algorithm>
#include <charconv>

namespace scalestudy {
namespace {

// The '@' before the sessions: a folder's name may have one of its own, a fact's value too. npos
// where there is none.
std::size_t find_sessions(const std::string& text) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
    const std::string rest = text.substr(at + 1);
    const std::size_t next = std::min(rest.find('@'), rest.size());
    if (parse_ids(rest) || rest.find('=') < next) {
      return at;
    }
  }
  const std::size_t last = text.rfind('@');
  return text.find_first_of(":/", last) == std::string::npos ? last : std::string::npos;
}

}  // namespace

SideArgument parse_side(std::string text) {
  SideArgument side;
  const std::size_t at = find_sessions(text);
  if (at != std::string::npos) {
    side.sessions = text.substr(at + 1);
    text.resize(at);
  }
  const std::size_t colon = text.rfind(':');
  side.folder = colon == std::string::npos ? "" : text.substr(0, colon);
  side.study = colon == std::string::npos ? text : text.substr(colon + 1);
  return side;
}

std::optional<std::set<std::int64_t>> parse_ids(const std::string& text) {
  std::set<std::int64_t> ids;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto read_id = [&](std::int64_t& id) {
    const auto [next, error] = std::from_chars(at, end, id);
    at = next;
    return error == std::errc{} && id > 0;
  };
  for (bool is_first = true; is_first || at != end; is_first = false) {
    if (!is_first && *at++ != ',') {
      return std::nullopt;
    }
    std::int64_t first = 0;
    if (!read_id(first)) {
      return std::nullopt;
    }
    std::int64_t last = first;
    if (at != end && *at == '-' && (++at, !read_id(last))) {
      return std::nullopt;
    }
    constexpr std::int64_t most = 100'000;
    if (last < first || last - first > most - std::ssize(ids)) {
      return std::nullopt;
    }
    for (std::int64_t id = first; id < last; ++id) {
      ids.insert(id);
    }
    ids.insert(last);
  }
  return ids;
}

}  // namespace scalestudy
