#include "harness/analysis/analysis_change.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/number.h"
#include "harness/base/text.h"
#include "harness/study/matrix.h"
#include "harness/study/parse.h"
#include "harness/study/secret.h"

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

std::optional<std::vector<std::string>> find_trial_change(const SessionRow& session,
                                                          const Study& now,
                                                          const std::string& study_hash) {
  if (session.study_hash == study_hash) {
    return std::vector<std::string>();
  }
  return session.study_text
             ? std::optional(trial_difference(parse_stored_study(*session.study_text, ""), now))
             : std::nullopt;
}

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

std::vector<ThreatRow> changed_study_threats(const StudyObservation& observation,
                                             const Study& study) {
  std::int64_t mixed = 0;
  std::set<std::int64_t> sessions;
  for (const CellObservation& cell : observation.cells) {
    std::map<std::int64_t, std::optional<std::vector<std::string>>> changes;
    for (const TrialObservation& trial : cell.trials) {
      const auto change = observation.trial_changes.find(trial.row.session_id.value_or(0));
      if (change != observation.trial_changes.end()) {
        changes.insert(*change);
      }
    }
    const auto differs = [&](const auto& entry) { return entry.second != changes.begin()->second; };
    if (std::ranges::any_of(changes, differs)) {
      ++mixed;
      for (const auto& [session, change] : changes) {
        sessions.insert(session);
      }
    }
  }
  std::vector<std::string> differences;
  for (const std::int64_t session : sessions) {
    const auto& change = observation.trial_changes.at(session);
    if (!change || !change->empty()) {
      differences.push_back(fmt::format(
          "session {}: {}", session, change ? join(*change, ", ") : "what was not recorded then"));
    }
  }
  if (mixed == 0) {
    return {};
  }
  return {{ThreatKind::kChangedStudy,
           Severity::kWarning,
           fmt::format("{} of {} hold trials from before and after a change of what a trial does "
                       "(run --accept-changes): their means mix both. From then to now: {}.",
                       mixed,
                       format_count(static_cast<std::int64_t>(observation.cells.size()), "cell"),
                       masked(join(differences, "; "), secret_values(study)))}};
}

}  // namespace scalestudy
