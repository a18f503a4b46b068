#include "harness/cli/results/shared_sessions.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

// Those that ran trials of the side.
std::vector<SessionRow> sessions_of(const Side& side) {
  std::set<std::int64_t> ids;
  for (const CellObservation& cell : side.observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      ids.insert(trial.row.session_id.value_or(0));
    }
  }
  std::vector<SessionRow> sessions = side.sessions;
  std::erase_if(sessions, [&](const SessionRow& session) { return !ids.contains(session.id); });
  return sessions;
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

void check_shared_sessions(const Side& a, const Side& b, Terminal& terminal) {
  const std::vector<SessionRow> of_a = sessions_of(a);
  const std::vector<SessionRow> of_b = sessions_of(b);
  const std::vector<std::int64_t> shared = ids_of(of_b, of_a, true);
  const std::vector<std::int64_t> only_a = ids_of(of_a, of_b, false);
  const std::vector<std::int64_t> only_b = ids_of(of_b, of_a, false);
  if (shared.empty()) {
    return;
  }
  const std::string count = format_count(std::ssize(shared), "session");
  if (only_a.empty() && only_b.empty()) {
    terminal.warn(fmt::format("both sides are the same {}, so no difference can show", count));
    return;
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("both sides have {} ({}), and verdicts take the sides as independent. "
                          "Compare with @{} as side {}",
                          count,
                          format_ranges(shared),
                          format_ranges(only_b.empty() ? only_a : only_b),
                          only_b.empty() ? "a" : "b"));
}

}  // namespace scalestudy
