#include "harness/analysis/analysis_change.h"

#include <algorithm>
#include <map>

#include "harness/study/matrix.h"
#include "harness/study/parse.h"

namespace scalestudy {
namespace {

bool has_run(TrialState state) {
  return state != TrialState::kPlanned && state != TrialState::kRunning &&
         state != TrialState::kSkipped && state != TrialState::kExcluded;
}

// What of the analysis differs between the study as a session ran it and `now`.
std::vector<std::string> analysis_differences(const SessionRow& session,
                                              const Study& now,
                                              const std::string& study_hash) {
  if (session.study_hash == study_hash) {
    return {};
  }
  if (!session.study_text) {
    return {"the study changed, and what changed was not recorded then"};
  }
  std::vector<std::string> lines =
      study_difference(parse_stored_study(*session.study_text, ""), now);
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("analysis."); });
  return lines;
}

}  // namespace

std::optional<AnalysisChange> find_analysis_change(const std::vector<SessionRow>& sessions,
                                                   const std::vector<TrialRow>& trials,
                                                   const Study& now,
                                                   const std::string& study_hash) {
  std::map<std::int64_t, std::int64_t> attempts;  // by session
  for (const TrialRow& trial : trials) {
    if (trial.session_id && has_run(trial.state)) {
      ++attempts[*trial.session_id];
    }
  }
  AnalysisChange change;
  bool is_first = true;
  for (const SessionRow& session : sessions) {
    if (!attempts.contains(session.id)) {
      continue;
    }
    change.attempts += attempts.at(session.id);
    std::vector<std::string> differences = analysis_differences(session, now, study_hash);
    if (!differences.empty()) {
      change.attempts_before = change.attempts;
    }
    if (is_first) {
      change.differences = std::move(differences);
      is_first = false;
    }
  }
  return change.differences.empty() ? std::nullopt : std::optional(std::move(change));
}

}  // namespace scalestudy
