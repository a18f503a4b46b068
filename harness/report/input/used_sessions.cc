#include "harness/report/input/used_sessions.h"

#include <set>

namespace scalestudy::report {

std::vector<const SessionInput*> used_sessions(const ReportInput& input) {
  std::set<std::int64_t> used;
  for (const TrialRow& trial : input.trials) {
    if (trial.state == TrialState::kOk && trial.session_id && !input.ran_in_excluded_cell(trial)) {
      used.insert(*trial.session_id);
    }
  }
  std::vector<const SessionInput*> sessions;
  for (const SessionInput& session : input.sessions) {
    if (used.contains(session.row.id)) {
      sessions.push_back(&session);
    }
  }
  return sessions;
}

}  // namespace scalestudy::report
