#include "harness/cli/results/side_argument.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.h"
#include "harness/cli/find_study.h"
#include "harness/cli/stored_secrets.h"
#include "harness/store/rows/imported.h"
#include "harness/store/store.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

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

// What the sessions of a study tell of `name`; an error that lists the names when they tell
// nothing.
std::vector<std::string> values_of(const Store& store,
                                   const std::vector<SessionRow>& sessions,
                                   const std::string& name) {
  std::vector<std::string> values;
  std::set<std::string> names;
  for (const SessionRow& session : sessions) {
    const auto facts = session_facts(store, session);
    for (const auto& [fact, value] : facts) {
      names.insert(fact);
    }
    const auto found = facts.find(name);
    values.push_back(found == facts.end() ? "" : found->second);
  }
  if (!names.contains(name)) {
    const std::vector<std::string> known(names.begin(), names.end());
    const std::string close = closest_match(name, known);
    throw Error(ErrorKind::kUsage,
                fmt::format("no session tells '{}'{}; they tell {}",
                            name,
                            close.empty() ? "" : fmt::format(" (did you mean {}?)", close),
                            join(known, ", ")));
  }
  return values;
}

std::vector<SessionRow> select_sessions(const Store& store,
                                        const StudyRow& row,
                                        const std::optional<std::string>& asked) {
  const std::vector<SessionRow> all = store.sessions(row.id);
  const std::string which = asked.value_or("");
  std::vector<SessionRow> kept;
  const std::size_t equals = which.find('=');
  if (equals != std::string::npos) {
    const std::vector<std::string> values = values_of(store, all, which.substr(0, equals));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (values[i] == which.substr(equals + 1)) {
        kept.push_back(all[i]);
      }
    }
    if (kept.empty()) {
      const std::set<std::string> there(values.begin(), values.end());
      throw Error(
          ErrorKind::kUsage,
          fmt::format(
              "no session of {} has {}; there: {}", row.name, which, fmt::join(there, "; ")));
    }
    return kept;
  }
  const auto ids = asked ? parse_ids(which) : std::set<std::int64_t>{};
  if (!ids) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'@{}' selects no sessions: allowed are ids (@3, @3-7, @2,5-6) and a "
                            "fact of sessions (@host=node7, @tool_revision=4f2a...); without an "
                            "@ all are taken",
                            which));
  }
  for (const SessionRow& session : all) {
    if (!asked || ids->contains(session.id)) {
      kept.push_back(session);
    }
  }
  if (const auto imported = all.empty() ? imported_of(store.trials(row.id)) : std::nullopt) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is imported from logs, which tell no sessions to compare. Import "
                            "both sets of logs into one study, with an axis that tells them apart",
                            row.name));
  }
  if (kept.empty()) {
    std::vector<std::string> there;
    for (const SessionRow& session : all) {
      there.push_back(std::to_string(session.id));
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("{} has no session{}{}; its sessions: {}",
                            row.name,
                            asked ? " " : "",
                            which,
                            there.empty() ? "none" : join(there, ", ")));
  }
  return kept;
}

// Warns of asked ids that are no session's, of whichever study: perhaps mistyped.
void warn_of_unknown(const Store& store, const SideArgument& text, Terminal& terminal) {
  auto ids = parse_ids(text.sessions.value_or("")).value_or(std::set<std::int64_t>());
  for (const std::vector<Field>& row : store.query("SELECT id FROM session").rows) {
    ids.erase(std::get<std::int64_t>(row.at(0)));
  }
  std::vector<std::string> unknown;
  for (const std::int64_t id : ids) {
    unknown.push_back(std::to_string(id));
  }
  if (!unknown.empty()) {
    terminal.warn(fmt::format("{} has no session {}", text.folder, list_some(unknown)));
  }
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

Side load_side(const SideArgument& text, Terminal& terminal) {
  const Store store = Store::open_read_only(text.folder);
  terminal.hide(stored_secrets(store));
  const StudyRow row = stored_study(store, text.study, text.folder);
  warn_of_unknown(store, text, terminal);
  return without_idle_sessions(
      observe_side(store, row, select_sessions(store, row, text.sessions)));
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
