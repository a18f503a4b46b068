// The planned trials and their way through the states; what a finished trial leaves is in
// trials.cc.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/added.h"
#include "harness/store/database/schema.h"
#include "harness/store/store.h"
#include "harness/store/tables/columns.h"
#include "harness/store/tables/inserts.h"
#include "harness/store/tables/sql.h"
#include "harness/store/tables/table_sql.h"
#include "harness/store/tables/unchecked.h"

namespace scalestudy {
namespace {

using sql::Statement;

using Place = std::tuple<std::string, std::int64_t, std::int64_t>;  // plan, cell, block

struct LastAttempt {
  std::int64_t trial_id = 0;
  std::int64_t number = 1;
  TrialState state = TrialState::kPlanned;
  std::optional<SkipReason> skip_reason;
};

// Whether nothing of the attempt was run: a plan may change it.
bool is_open(const LastAttempt& attempt) {
  return attempt.state == TrialState::kPlanned || attempt.state == TrialState::kExcluded ||
         (attempt.state == TrialState::kSkipped && attempt.skip_reason != SkipReason::kPruned);
}

// Blocks also come from the store's table `addition`, into which another program may have put any.
void require_in_range(const SQLite::Database& database, const TrialRow& row) {
  if (row.block < 0 || row.position < 0 || row.attempt < 1) {
    throw Error(ErrorKind::kStore,
                database.getFilename() + ": a trial would have block " + std::to_string(row.block) +
                    ", position " + std::to_string(row.position) + " and attempt " +
                    std::to_string(row.attempt) +
                    ", which cannot be; another program changed the table addition");
  }
}

std::map<Place, LastAttempt> last_attempts(const SQLite::Database& database,
                                           std::int64_t study_id) {
  std::map<Place, LastAttempt> last;
  Statement select(
      database,
      "SELECT plan, cell_id, block, id, attempt, state, skip_reason FROM trial WHERE study_id = ? "
      "AND NOT " +
          std::string(kSuperseded));
  for (select.bind(study_id); select.step();) {
    Place place;
    auto& [plan, cell_id, block] = place;
    LastAttempt attempt;
    auto& [trial_id, number, state, skip_reason] = attempt;
    select.read_from(0, plan, cell_id, block, trial_id, number, state, skip_reason);
    last[place] = attempt;
  }
  return last;
}

// Whether a plan sets the column of an attempt that has not run: all that is planned but its
// number, and how it ends without a run, such as excluded.
bool is_set_by_plan(const Column& column) {
  const std::string_view name = column.name;
  return name == "state" || name == "reason" || name == "skip_reason" ||
         (column.is_planned && name != "attempt");
}

// Removes a trial that has not run, with all that may have been said of it.
void remove_trial(const SQLite::Database& database, std::int64_t trial_id) {
  for (const char* text : {"DELETE FROM series WHERE trial_id = ?",
                           "DELETE FROM telemetry WHERE trial_id = ?",
                           "DELETE FROM log WHERE trial_id = ?",
                           "DELETE FROM annotation WHERE trial_id = ?",
                           "DELETE FROM trial WHERE id = ?"}) {
    Statement(database, text).bind(trial_id).run();
  }
}

// SQL, with a parameter for each of these columns.
std::string set_by_plan() {
  std::string text;
  for (const Column& column : table_of<TrialRow>().columns) {
    if (is_set_by_plan(column)) {
      text += (text.empty() ? "" : ", ") + std::string(column.name) + " = ?";
    }
  }
  return text;
}

}  // namespace

void require_one(const SQLite::Database& database,
                 int changed,
                 std::int64_t trial_id,
                 const char* what) {
  if (changed != 1) {
    throw Error(ErrorKind::kStore,
                database.getFilename() + ": trial " + std::to_string(trial_id) + " cannot be " +
                    what +
                    ": another program, maybe a trial of the study, changed or removed its row "
                    "during the run. Run again: what is there is kept, what is missing is planned "
                    "anew");
  }
}

void Store::put_plan(std::int64_t study_id,
                     const std::vector<TrialRow>& planned,
                     const std::string& dropped_reason) {
  sql::Transaction transaction(*database_);
  Statement(*database_,
            "UPDATE trial SET state = 'planned', session_id = NULL, started_at = NULL, "
            "deaths = deaths + (SELECT ending = '' FROM session WHERE id = trial.session_id) "
            "WHERE study_id = ? AND state = 'running'")
      .bind(study_id)
      .run();
  const std::map<Place, LastAttempt> last = last_attempts(*database_, study_id);
  const sql::Unchecked unchecked(*database_);
  Statement insert(*database_, sql::insert_text<TrialRow>());
  Statement update(*database_, "UPDATE trial SET " + set_by_plan() + " WHERE id = ?");
  const bool is_search = std::ranges::any_of(
      planned, [](const TrialRow& row) { return row.part != SearchPart::kNone; });
  std::set<Place> places;
  std::set<std::pair<std::int64_t, std::int64_t>> trials;  // cell, block
  std::set<std::string> plans;
  for (const TrialRow& row : planned) {
    require_in_range(*database_, row);
    const Place place{row.plan, row.cell_id, row.block};
    places.insert(place);
    trials.emplace(row.cell_id, row.block);
    plans.insert(row.plan);
    TrialRow fresh = row;
    fresh.study_id = study_id;
    const auto known = last.find(place);
    if (known == last.end()) {
      sql::run_with(insert.bind(), fresh);
    } else if (is_open(known->second)) {
      update.bind();
      for (const Column& column : table_of<TrialRow>().columns) {
        if (is_set_by_plan(column)) {
          update.add(column.value(&fresh));
        }
      }
      update.add(known->second.trial_id);
      update.run();
    }
  }
  Statement drop(*database_,
                 "UPDATE trial SET state = 'skipped', reason = ?, skip_reason = ? WHERE id = ?");
  for (const auto& [place, attempt] : last) {
    const auto& [plan, cell_id, block] = place;
    const bool is_spare = is_search ? !plans.contains(plan) : trials.contains({cell_id, block});
    if (places.contains(place) || !is_open(attempt)) {
      continue;
    }
    if (is_spare || attempt.number > 1) {  // how the attempt before ended counts again
      remove_trial(*database_, attempt.trial_id);
    } else {
      drop.bind(dropped_reason, SkipReason::kNotInStudy, attempt.trial_id).run();
    }
  }
  transaction.commit();
}

void Store::extend_plan(std::int64_t study_id, const std::vector<TrialRow>& planned) {
  sql::Transaction transaction(*database_);
  const std::map<Place, LastAttempt> last = last_attempts(*database_, study_id);
  Statement insert(*database_, sql::insert_text<TrialRow>());
  for (TrialRow row : planned) {
    if (!last.contains({row.plan, row.cell_id, row.block})) {
      row.study_id = study_id;
      sql::run_with(insert.bind(), row);
    }
  }
  transaction.commit();
}

void Store::add(std::int64_t study_id, const std::vector<Addition>& additions) {
  sql::Transaction transaction(*database_);
  Statement insert(*database_, sql::insert_text<Addition>("study_id, "));
  for (const Addition& addition : additions) {
    sql::run_with(insert.bind(study_id), addition);
  }
  transaction.commit();
}

std::vector<Addition> Store::additions(std::int64_t study_id) const {
  return sql::read_rows<Addition>(*database_, "WHERE study_id = ? ORDER BY id", study_id);
}

Study with_additions(Study study, const Store& store) {
  const std::optional<StudyRow> known = store.find_study(study.name);
  study.additions = known ? store.additions(known->id) : std::vector<Addition>();
  return study;
}

void Store::mark_running(std::int64_t trial_id,
                         std::int64_t session_id,
                         const std::string& started_at) {
  sql::require_in_place(*database_);
  Statement update(
      *database_,
      "UPDATE trial SET state = 'running', reason = '', session_id = ?, started_at = ? "
      "WHERE id = ? AND state = 'planned'");
  require_one(*database_, update.bind(session_id, started_at, trial_id).run(), trial_id, "started");
}

std::int64_t Store::plan_retries(std::int64_t study_id,
                                 const std::string& plan,
                                 std::optional<std::int64_t> session_id) {
  const std::string retried =
      "study_id = ?1 AND (?3 IS NULL OR session_id = ?3) "
      "AND state IN ('failed', 'timeout', 'oom', 'invalid', 'unsupported') "
      // Who took a trial out of all results meant it to stay out.
      "AND (SELECT kind FROM annotation WHERE trial_id = trial.id AND kind <> 'note' "
      "ORDER BY annotation.id DESC LIMIT 1) IS NOT 'exclude' AND NOT " +
      std::string(kSuperseded);
  Statement insert(
      *database_,
      further_attempt_text() + " WHERE " + retried +
          " AND ((plan = ?2 AND ?2 <> '') OR (?2 = '' AND NOT EXISTS "
          "(SELECT 1 FROM trial AS other WHERE other.cell_id = trial.cell_id "
          "AND other.block = trial.block AND other.plan <> trial.plan AND (other.state = 'ok' OR "
          "(other.plan < trial.plan AND (other.state IN ('planned', 'running') OR other.id IN "
          "(SELECT id FROM trial WHERE " +
          retried + ")))))))");
  return insert.bind(study_id, plan, session_id).run();
}

void Store::reset_trial(std::int64_t trial_id) {
  Statement update(*database_,
                   "UPDATE trial SET state = 'planned', session_id = NULL, started_at = NULL "
                   "WHERE id = ? AND state IN ('running', 'planned')");
  require_one(*database_, update.bind(trial_id).run(), trial_id, "put back to planned");
}

}  // namespace scalestudy
