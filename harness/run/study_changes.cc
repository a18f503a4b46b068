#include "harness/run/study_changes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/run/attempt/provenance.h"
#include "harness/store/added.h"
#include "harness/store/trial_plan.h"
#include "harness/study/parse.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// "12 trials no longer count ...": those of cells that the study has lost; "" if there are none.
std::string trials_that_fall_away(const Matrix& matrix,
                                  const std::vector<TrialRow>& trials,
                                  const Store& store,
                                  std::int64_t study_id) {
  std::set<std::string> in_study;  // hashes
  for (const Cell& cell : matrix.cells) {
    in_study.insert(cell.hash);
  }
  for (const ExcludedCell& excluded : matrix.excluded) {
    in_study.insert(excluded.cell.hash);
  }
  std::set<std::int64_t> gone;
  for (const CellRow& cell : store.cells(study_id)) {
    if (!cell.excluded_reason && !in_study.contains(cell.hash)) {
      gone.insert(cell.id);
    }
  }
  const auto count = std::ranges::count_if(trials, [&](const TrialRow& trial) {
    return trial.wall_s && !trial.superseded && gone.contains(trial.cell_id);
  });
  return count == 0
             ? ""
             : fmt::format("{} no longer {} left the study",
                           format_count(count, "trial"),
                           count == 1 ? "counts, because its cell" : "count, because their cells");
}

// What differs between the stored study and this one, one line each.
std::vector<std::string> study_changes(const Study& study,
                                       const Matrix& matrix,
                                       const std::vector<TrialRow>& trials,
                                       const Store& store,
                                       const StudyRow& stored) {
  std::vector<std::string> lines;
  // limits.timeout: 10min has the hash of a study without it, where trials set the limit.
  if (stored.hash != study_hash(study) || stored.source_text != study.source_text) {
    lines = declared_difference(parse_stored_study(stored.source_text, stored.source_path), study);
  }
  if (const std::string gone = trials_that_fall_away(matrix, trials, store, stored.id);
      !lines.empty() && !gone.empty()) {
    lines.push_back(gone);
  }
  return lines;
}

// Whether ranks would be bound to another number of cores than in the last session, told by one of
// its trials: the machine and the study as a whole decide. "" if not, or nobody knows.
std::string placement_change(const std::map<std::string, LaunchCommand>& commands,
                             const std::vector<TrialRow>& trials,
                             const Store& store,
                             std::int64_t study_id) {
  std::map<std::int64_t, CellRow> cells;
  for (CellRow& row : store.cells(study_id)) {
    cells.emplace(row.id, std::move(row));
  }
  std::optional<std::int64_t> last_session;
  std::string change;
  const std::map<std::int64_t, double> cores_before = store.cores_per_rank(study_id);
  for (const TrialRow& trial : trials) {
    const CellRow& cell = cells[trial.cell_id];
    const auto command = commands.find(cell.hash);
    if (trial.state != TrialState::kOk || trial.session_id < last_session ||
        command == commands.end() || command->second.cores_per_rank == 0) {
      continue;
    }
    const auto now = static_cast<double>(command->second.cores_per_rank);
    if (const auto before = cores_before.find(trial.id); before != cores_before.end()) {
      last_session = trial.session_id;
      change = before->second == now
                   ? ""
                   : fmt::format(
                         "cores of each rank, as of {}: {} -> {}", cell.label, before->second, now);
    }
  }
  return change;
}

// Programs and scripts that are not those of the last session that ran any: one without trials says
// nothing of what the stored ones are of.
// - with_commit: whether another commit of their repository counts, too.
std::vector<std::string> program_changes(const ProgramFacts& facts,
                                         const std::vector<TrialRow>& trials,
                                         const Store& store,
                                         bool with_commit) {
  std::optional<std::int64_t> last;
  for (const TrialRow& trial : trials) {
    last = trial.wall_s ? std::max(last, trial.session_id) : last;
  }
  return last ? edited_programs(store.environment(*last), facts(), with_commit)
              : std::vector<std::string>();
}

// Of the trials that the study has now: planned ones, skipped ones, which a run takes up again, and
// those that nobody has planned yet; of a search until it has a winner.
bool has_trials_left(const Study& study,
                     const Matrix& matrix,
                     const KnownTrials& trials,
                     const Store& store,
                     std::int64_t study_id) {
  std::map<std::int64_t, std::string> hashes;
  for (const CellRow& cell : store.cells(study_id)) {
    hashes.emplace(cell.id, cell.hash);
  }
  std::set<std::string> in_study;  // hashes
  for (const Cell& cell : matrix.cells) {
    in_study.insert(cell.hash);
  }
  std::set<std::pair<std::string, std::int64_t>> open;  // hash and block
  for (const ScheduledTrial& trial :
       study.search ? std::vector<ScheduledTrial>() : schedule(study, matrix)) {
    open.emplace(matrix.cells.at(trial.cell).hash, trial.block);
  }
  bool has_winner = false;
  for (const auto& [place, trial] : trials_by_place(study, trials.all, trials.plan)) {
    const std::pair name(hashes[trial->cell_id], trial->block);
    const bool is_left =
        is_pending(trial->state) || (trial->state == TrialState::kSkipped &&
                                     !(trial->skip_reason && is_enough(*trial->skip_reason)));
    if (is_left && (study.search ? in_study.contains(name.first) : open.contains(name))) {
      return true;
    }
    open.erase(name);
    has_winner = has_winner || trial->part == SearchPart::kWinner;
  }
  return study.search ? !has_winner : !open.empty();
}

// A race is over blocks of all settings, which trials of before have not.
void require_searchable(const Study& study, const std::vector<TrialRow>& trials) {
  if (study.search && std::ranges::any_of(trials, [](const TrialRow& trial) {
        return trial.part == SearchPart::kNone && trial.wall_s.has_value();
      })) {
    throw Error(ErrorKind::kUsage,
                fmt::format("study {} has trials from before it was a search, which cannot race; "
                            "run it under another name",
                            study.name));
  }
}

constexpr const char* kAccept =
    "Run it under another name, or continue with --accept-changes: earlier trials then count "
    "together with the new ones, even if their steps, command or cores differ. Trials of "
    "cells that are no longer in the study stay in the store but count for nothing";
constexpr const char* kAccepted =
    "All other earlier trials count together with the new ones (--accept-changes)";
constexpr const char* kNothingLeft =
    "No trial is left to run: the stored trials are of the program as it was. To measure it as it "
    "is now, run the study under another name (--set study=NAME) or with another --results";

std::string changes_text(const Study& study,
                         const Store& store,
                         const std::vector<std::string>& lines,
                         const char* consequence) {
  return fmt::format("study {} has changed since its trials ran (store: {}):\n  {}\n{}",
                     study.name,
                     (store.results_folder() / "results.db").string(),
                     join(lines, "\n  "),
                     consequence);
}

}  // namespace

std::set<std::int64_t> earlier_sessions(const Study& study,
                                        const Store& store,
                                        std::int64_t study_id) {
  std::set<std::int64_t> ids;
  for (const SessionRow& session : store.sessions(study_id)) {
    if (session.study_hash != study_hash(study) && session.study_text &&
        !trial_difference(parse_stored_study(*session.study_text, ""), study).empty()) {
      ids.insert(session.id);
    }
  }
  return ids;
}

void require_unchanged(const Study& study,
                       const Matrix& matrix,
                       const std::map<std::string, LaunchCommand>& commands,
                       const ProgramFacts& facts,
                       const KnownTrials& trials,
                       const Store& store,
                       const RunOptions& options) {
  require_not_imported(study.name, store);
  require_searchable(study, trials.all);
  const std::optional<StudyRow> stored = store.find_study(study.name);
  if (!stored) {
    return;
  }
  std::vector<std::string> lines = study_changes(study, matrix, trials.all, store, *stored);
  const bool is_same_study = lines.empty();
  const bool has_left =
      options.retry_failed || has_trials_left(study, matrix, trials, store, stored->id);
  if (std::string change = placement_change(commands, trials.all, store, stored->id);
      !change.empty() && (has_left || !is_same_study)) {
    lines.push_back(std::move(change));
  }
  // A gate on stored trials alone must be of what is there now, imported modules included.
  const std::vector<std::string> programs =
      program_changes(facts, trials.all, store, options.is_judged && !has_left);
  lines.insert(lines.end(), programs.begin(), programs.end());
  if (lines.empty()) {
    return;
  }
  const bool is_old_answer = !has_left && !programs.empty();
  const bool is_accepted = options.accept_changes || (is_old_answer && is_same_study);
  const bool is_refused = !is_accepted || (is_old_answer && options.is_judged);
  if (is_refused) {
    throw Error(ErrorKind::kUsage,
                changes_text(study, store, lines, is_old_answer ? kNothingLeft : kAccept));
  }
  if (options.tell) {
    options.tell(changes_text(study, store, lines, is_old_answer ? kNothingLeft : kAccepted),
                 /*is_warning=*/is_old_answer);
  }
}

std::string changed_text(const Study& declared, const Store& store) {
  const std::optional<StudyRow> stored = store.find_study(declared.name);
  if (!stored) {
    return "";
  }
  const Study study = with_additions(declared, store);
  const std::vector<std::string> lines =
      study_changes(study, expand(study), store.trials(stored->id), store, *stored);
  return lines.empty() ? "" : changes_text(study, store, lines, kAccept);
}

void require_unchanged_text(const Study& declared, const Store& store) {
  require_not_imported(declared.name, store);
  if (const std::string text = changed_text(declared, store); !text.empty()) {
    throw Error(ErrorKind::kUsage, text);
  }
}

}  // namespace scalestudy
