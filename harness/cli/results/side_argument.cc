#include "harness/cli/results/side_argument.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/text/number.h"

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

// The ids of `sessions` that are among `others`, or of those that are not.
std::vector<std::int64_t> ids_of(const std::vector<SessionRow>& sessions,
                                 const std::vector<SessionRow>& others,
                                 bool are_among) {
  std::vector<std::int64_t> ids;
  for (const SessionRow& session : sessions) {
    if (are_among == (std::ranges::find(others, session.uid, &SessionRow::uid) != others.end())) {
      ids.push_back(session.id);
    }
  }
  return ids;
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

std::string shared_sessions(const Side& a,
                            const Side& b,
                            const std::string& name_a,
                            const std::string& name_b) {
  const std::vector<std::int64_t> shared = ids_of(b.sessions, a.sessions, true);
  const std::vector<std::int64_t> only_a = ids_of(a.sessions, b.sessions, false);
  const std::vector<std::int64_t> only_b = ids_of(b.sessions, a.sessions, false);
  if (shared.empty()) {
    return "";
  }
  const std::string count = format_count(std::ssize(shared), "session");
  if (only_a.empty() && only_b.empty()) {
    return fmt::format("both sides are the same {}, so no difference can show", count);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("both sides have {} ({}), and verdicts take the sides as independent. "
                          "Compare with {}@{} as side {}",
                          count,
                          format_ranges(shared),
                          only_b.empty() ? name_a : name_b,
                          format_ranges(only_b.empty() ? only_a : only_b),
                          only_b.empty() ? "a" : "b"));
}

}  // namespace scalestudy
