#include "harness/analysis/observe/analysis_change.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/store/rows/runs.h"
#include "harness/study/declared/reading.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parse.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

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

std::set<std::int64_t> find_read_again(const Store& store,
                                       std::int64_t study_id,
                                       const Study& study) {
  std::set<std::int64_t> ids;
  if (study.extract.empty()) {
    return ids;
  }
  const QueryResult readings = store.query(
      "SELECT log.trial_id, log.text FROM log JOIN trial ON trial.id = log.trial_id "
      "WHERE trial.study_id = ? AND log.stream = 'event' AND log.text LIKE ? "
      "ORDER BY log.id",
      {study_id, std::string(kReadAgain) + "%"});
  const std::string mark = reading_mark(study);
  for (const std::vector<Field>& row : readings.rows) {
    const auto id = std::get<std::int64_t>(row.at(0));
    if (std::get<std::string>(row.at(1)).starts_with(mark)) {
      ids.insert(id);
    } else {
      ids.erase(id);
    }
  }
  return ids;
}

std::optional<std::vector<std::string>> trial_change(const TrialRow& trial,
                                                     const StudyObservation& observation) {
  const auto found = observation.trial_changes.find(trial.session_id.value_or(0));
  if (found == observation.trial_changes.end()) {
    return std::vector<std::string>();
  }
  std::optional<std::vector<std::string>> change = found->second;
  if (change && observation.read_again.contains(trial.id)) {
    std::erase_if(*change, [](const std::string& line) { return line.starts_with("extract["); });
  }
  return change;
}

std::optional<AnalysisChange> find_analysis_change(const std::vector<SessionRow>& sessions,
                                                   const std::vector<TrialRow>& trials,
                                                   const Study& now,
                                                   const std::string& study_hash) {
  std::map<std::int64_t, std::int64_t> attempts;  // by session
  for (const TrialRow& trial : each_run_once(trials)) {
    if (trial.session_id && has_ended(trial.state)) {
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

namespace {

// Whether rules of one study file, but not the same rules, gave trials of the cell their values: a
// preset has changed with the program. Trials of older stores do not tell theirs.
bool has_several_rules(const CellObservation& cell, const Study& study) {
  if (std::ranges::none_of(study.extract, &ExtractRule::is_of_preset)) {
    return false;
  }
  std::set<std::optional<std::string>> hashes;
  for (const TrialObservation& trial : cell.trials) {
    hashes.insert(trial.row.rules_hash);
  }
  return hashes.size() > 1;
}

// What changed since each session, by its id; one may have trials that were read again and others
// that could not be.
using SessionChanges = std::set<std::pair<std::int64_t, std::optional<std::vector<std::string>>>>;

// "since sessions 1-3: steps.warmup: 2 -> 4; since session 4: ...".
std::string changes_text(const SessionChanges& changes) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> since;
  for (const auto& [session, change] : changes) {
    if (change && change->empty()) {
      continue;
    }
    const std::string what = change ? join(*change, ", ") : "not recorded";
    auto known = std::ranges::find(since, what, [](const auto& entry) { return entry.first; });
    if (known == since.end()) {
      known = since.insert(known, {what, {}});
    }
    known->second.push_back(session);
  }
  std::vector<std::string> texts;
  for (const auto& [what, sessions] : since) {
    texts.push_back(fmt::format(
        "since session{} {}: {}", sessions.size() == 1 ? "" : "s", format_ranges(sessions), what));
  }
  return join(texts, "; ");
}

}  // namespace

std::vector<ThreatRow> changed_study_threats(const StudyObservation& observation,
                                             const Study& study) {
  std::int64_t mixed = 0;
  std::int64_t read_otherwise = 0;
  SessionChanges mixed_changes;
  for (const CellObservation& cell : observation.cells) {
    SessionChanges changes;
    for (const TrialObservation& trial : cell.trials) {
      const std::int64_t session = trial.row.session_id.value_or(0);
      if (observation.trial_changes.contains(session)) {
        changes.emplace(session, trial_change(trial.row, observation));
      }
    }
    const auto differs = [&](const auto& entry) { return entry.second != changes.begin()->second; };
    if (std::ranges::any_of(changes, differs)) {
      ++mixed;
      mixed_changes.merge(changes);
    } else if (has_several_rules(cell, study)) {
      ++read_otherwise;
    }
  }
  std::vector<ThreatRow> threats;
  if (read_otherwise > 0) {
    threats.push_back(
        {ThreatKind::kChangedStudy,
         Severity::kWarning,
         fmt::format("{} of {} {} trials that were read with different versions of a preset, "
                     "and their means mix both. `scalestudy extract {}` reads all of them with the "
                     "current rules.",
                     read_otherwise,
                     format_count(static_cast<std::int64_t>(observation.cells.size()), "cell"),
                     read_otherwise == 1 ? "contains" : "contain",
                     study.name)});
  }
  if (mixed == 0) {
    return threats;
  }
  threats.push_back(
      {ThreatKind::kChangedStudy,
       Severity::kWarning,
       fmt::format("{} of {} {} trials from before and after a change of what a trial does "
                   "(run --accept-changes), and their means mix both. What changed {}.",
                   mixed,
                   format_count(static_cast<std::int64_t>(observation.cells.size()), "cell"),
                   mixed == 1 ? "contains" : "contain",
                   masked(changes_text(mixed_changes), secret_values(study)))});
  return threats;
}

}  // namespace scalestudy
