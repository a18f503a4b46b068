// What trials left: written once, whole; read in order.
#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "harness/store/database/schema.h"
#include "harness/store/store.h"
#include "harness/store/tables/columns.h"
#include "harness/store/tables/inserts.h"
#include "harness/store/tables/sql.h"
#include "harness/store/tables/summary.h"
#include "harness/store/tables/table_sql.h"
#include "harness/study/declared/reading.h"

namespace scalestudy {
namespace {

using sql::Statement;

// An ok trial that counts: no later attempt of its (cell, block).
std::string counting_trials() {
  return "trial.study_id = ? AND trial.state = 'ok' AND NOT " + std::string(kSuperseded);
}

// Whether finish_trial() sets the column. What the plan decided stays, but for `oversubscribed`,
// which the run knows better, and so does `deaths`, which put_plan() counts.
bool is_set_by_run(const Column& column) {
  const std::string_view name = column.name;
  return name == "oversubscribed" || (!column.is_planned && name != "deaths");
}

// SQL, with a parameter for each of these columns; an absent value keeps what the row has.
std::string set_by_run() {
  std::string text;
  for (const Column& column : table_of<TrialRow>().columns) {
    if (is_set_by_run(column)) {
      const std::string name = column.name;
      text += (text.empty() ? "" : ", ") + name + " = ";
      text += column.type->is_optional ? "ifnull(?, " + name + ")" : "?";
    }
  }
  return text;
}

// What is in the -wal file alone is lost with that file, should somebody remove it and this program
// be killed. Moving it costs an fsync or two: for a trial of a second or more, or once it is gone.
// What readers still need there waits for the next time.
void move_into_database(SQLite::Database& database, double trial_s) {
  constexpr double long_s = 1.0;
  std::error_code ignored;
  if (trial_s >= long_s || !std::filesystem::exists(database.getFilename() + "-wal", ignored)) {
    sqlite3_wal_checkpoint_v2(
        database.getHandle(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  }
}

// Reads metric, unit, rank, warmup_n, values_json from column `first` on.
SeriesRow read_series(const SQLite::Database& database, const Statement& select, int first) {
  SeriesRow row;
  std::string text;
  select.read_from(first, row.metric, row.unit, row.rank, row.warmup_n, text);
  auto values = parse_values(text);
  if (!values) {
    throw Error(ErrorKind::kStore,
                database.getFilename() + ": the values of a series of " + row.metric +
                    " are not a JSON array of finite numbers; another program changed them");
  }
  row.values = std::move(*values);
  if (row.warmup_n < 0 || row.warmup_n > std::ssize(row.values)) {
    throw Error(ErrorKind::kStore,
                database.getFilename() + ": a series of " + row.metric + " has " +
                    std::to_string(row.values.size()) + " values, and " +
                    std::to_string(row.warmup_n) + " of warm-up; another program changed it");
  }
  if (!has_all_measured(row.values, row.warmup_n)) {
    throw Error(ErrorKind::kStore,
                database.getFilename() + ": a series of " + row.metric +
                    " lacks a measured value; another program changed it");
  }
  return row;
}

}  // namespace

std::optional<std::int64_t> Store::finish_trial(const TrialRecord& record, bool retry) {
  const TrialRow& trial = record.trial;
  if (is_pending(trial.state)) {
    throw std::logic_error("a finished trial cannot be " + to_word(trial.state));
  }
  sql::require_in_place(*database_);
  sql::Transaction transaction(*database_);
  Statement update(
      *database_,
      "UPDATE trial SET " + set_by_run() + " WHERE id = ? AND state IN ('planned', 'running')");
  update.bind();
  for (const Column& column : table_of<TrialRow>().columns) {
    if (is_set_by_run(column)) {
      update.add(column.value(&trial));
    }
  }
  update.add(trial.id);
  require_one(*database_, update.run(), trial.id, "finished");
  insert_left(*database_, record);
  std::optional<std::int64_t> next;
  if (retry) {
    Statement(*database_, further_attempt_text() + " WHERE id = ?").bind(trial.id).run();
    next = sql::last_insert_id(*database_);
  }
  transaction.commit();
  move_into_database(*database_, trial.wall_s.value_or(0.0));
  return next;
}

// Where the rules give what it has, it gets the record's log rows and hash of rules alone. Else an
// attempt is added: its telemetry and log rows are those of the attempt before, which stays, then
// the record's, of telemetry what tells of the reading.
void Store::add_reading(const TrialRecord& record) {
  sql::require_in_place(*database_);
  sql::Transaction transaction(*database_);
  Statement before(
      *database_,
      "SELECT state, reason FROM trial WHERE id = ? AND NOT " + std::string(kSuperseded));
  TrialState state{};
  std::string reason;
  if (before.bind(record.trial.id).step()) {
    before.read_from(0, state, reason);
  }
  std::vector<SeriesRow> stored = series(record.trial.id);
  std::ranges::for_each(stored, make_share);
  if (state == record.trial.state && reason == record.trial.reason &&
      std::ranges::is_permutation(stored, record.series, same_series)) {
    insert_logs(*database_, record.trial.id, record.logs);
    Statement(*database_, "UPDATE trial SET rules_hash = ? WHERE id = ?")
        .bind(record.trial.rules_hash, record.trial.id)
        .run();
    transaction.commit();
    return;
  }
  Statement insert(*database_,
                   further_reading_text() + " WHERE id = ? AND NOT " + std::string(kSuperseded));
  insert.bind();
  for (const Column& column : table_of<TrialRow>().columns) {
    if (column.is_read) {
      insert.add(column.value(&record.trial));
    }
  }
  insert.add(record.trial.id);
  require_one(*database_, insert.run(), record.trial.id, "read again");
  const std::int64_t id = database_->getLastInsertRowid();
  insert_series(*database_, id, record.series);
  const std::string facts = table_of<TelemetryRow>().column_names();
  std::string kept = " FROM telemetry WHERE trial_id = ?";
  for (const std::string_view fact : kReadingFacts) {
    kept += " AND name <> '" + std::string(fact) + "'";
  }
  Statement(*database_, "INSERT INTO telemetry(trial_id, " + facts + ") SELECT ?, " + facts + kept)
      .bind(id, record.trial.id)
      .run();
  const std::string texts = table_of<LogRow>().column_names();
  Statement(*database_,
            "INSERT INTO log(trial_id, " + texts + ") SELECT ?, " + texts +
                " FROM log WHERE trial_id = ? ORDER BY id")
      .bind(id, record.trial.id)
      .run();
  Statement insert_fact(*database_, sql::insert_text<TelemetryRow>("trial_id, "));
  for (const TelemetryRow& row : record.telemetry) {
    if (std::ranges::find(kReadingFacts, row.name) != kReadingFacts.end()) {
      sql::run_with(insert_fact.bind(id), row);
    }
  }
  insert_logs(*database_, id, record.logs);
  transaction.commit();
}

void Store::add_imported(const std::vector<TrialRecord>& records) {
  sql::require_in_place(*database_);
  sql::Transaction transaction(*database_);
  Statement insert(*database_, sql::insert_text<TrialRow>());
  for (TrialRecord record : records) {
    sql::run_with(insert.bind(), record.trial);
    record.trial.id = database_->getLastInsertRowid();
    insert_left(*database_, record);
  }
  transaction.commit();
}

std::vector<TrialRow> Store::trials(std::int64_t study_id) const {
  std::vector<TrialRow> trials;
  Statement select(*database_,
                   "SELECT " + std::string(kSuperseded) + ", id, " +
                       table_of<TrialRow>().column_names() +
                       " FROM trial WHERE study_id = ? ORDER BY position, attempt, id");
  for (select.bind(study_id); select.step();) {
    TrialRow& row = trials.emplace_back();
    select.read_from(0, row.superseded, row.id);
    sql::read_row(select, 2, row);
  }
  return trials;
}

std::vector<SeriesRow> Store::series(std::int64_t trial_id) const {
  std::vector<SeriesRow> rows;
  Statement select(*database_,
                   "SELECT metric.name, metric.unit, rank, warmup_n, values_json FROM series "
                   "JOIN metric ON metric.id = series.metric_id WHERE trial_id = ? "
                   "ORDER BY series.id");
  for (select.bind(trial_id); select.step();) {
    rows.push_back(read_series(*database_, select, 0));
  }
  return rows;
}

namespace {

using Visit = std::function<void(const TrialRow&, const SeriesRow&)>;

//   joins  what picks a trial's series, with the parameters bound first.
template <typename... Values>
void visit_series(const SQLite::Database& database,
                  std::int64_t study_id,
                  const std::string& joins,
                  const Visit& visit,
                  const Values&... parameters) {
  Statement select(database,
                   "SELECT trial.id, " + table_of<TrialRow>().column_names() +
                       ", metric.name, metric.unit, series.rank, series.warmup_n, "
                       "series.values_json FROM trial " +
                       joins + " WHERE " + counting_trials() +
                       " ORDER BY trial.position, trial.id, series.id");
  const auto trial_columns = static_cast<int>(table_of<TrialRow>().columns.size());
  for (select.bind(parameters..., study_id); select.step();) {
    TrialRow trial;
    select.read_from(0, trial.id);
    sql::read_row(select, 1, trial);
    SeriesRow series = read_series(database, select, 1 + trial_columns);
    make_share(series);
    visit(trial, series);
  }
}

//   trials  condition on step_times.trial.
std::map<std::int64_t, StepTime> read_step_times(const SQLite::Database& database,
                                                 const std::string& trials,
                                                 std::int64_t parameter) {
  std::map<std::int64_t, StepTime> times;
  Statement select(database,
                   "SELECT trial, steps, step_time_s, definition, slowest_rank FROM step_times "
                   "WHERE step_time_s IS NOT NULL AND trial " +
                       trials);
  for (select.bind(parameter); select.step();) {
    std::int64_t trial = 0;
    StepTime time;
    select.read_from(0, trial, time.steps, time.mean_s, time.definition, time.slowest_rank);
    times.emplace(trial, time);
  }
  return times;
}

}  // namespace

void Store::for_each_series(std::int64_t study_id,
                            const std::string& metric,
                            const Visit& visit) const {
  // In this order: left to itself SQLite looks at the series of all metrics for those of one.
  visit_series(*database_,
               study_id,
               "CROSS JOIN metric ON metric.name = ? "
               "CROSS JOIN series ON series.trial_id = trial.id AND series.metric_id = metric.id "
               "AND ifnull(series.rank, -1) = -1",
               visit,
               metric);
}

void Store::for_each_slowest_series(std::int64_t study_id, const Visit& visit) const {
  visit_series(*database_,
               study_id,
               "JOIN step_times ON step_times.trial = trial.id "
               "CROSS JOIN series ON series.trial_id = trial.id AND series.rank = slowest_rank "
               "JOIN metric ON metric.id = series.metric_id",
               visit);
}

std::optional<StepTime> Store::step_time(std::int64_t trial_id) const {
  const auto times = read_step_times(*database_, "= ?", trial_id);
  return times.empty() ? std::nullopt : std::optional(times.begin()->second);
}

std::map<std::int64_t, StepTime> Store::step_times(std::int64_t study_id) const {
  return read_step_times(*database_, "IN (SELECT id FROM trial WHERE study_id = ?)", study_id);
}

std::vector<std::string> Store::metrics(std::int64_t study_id) const {
  std::vector<std::string> names;
  Statement select(*database_,
                   "SELECT DISTINCT metric.name FROM trial "
                   "JOIN series ON series.trial_id = trial.id AND series.rank IS NULL "
                   "JOIN metric ON metric.id = series.metric_id WHERE " +
                       counting_trials() + " ORDER BY metric.name");
  for (select.bind(study_id); select.step();) {
    select.read_from(0, names.emplace_back());
  }
  return names;
}

std::map<std::int64_t, double> Store::cores_per_rank(std::int64_t study_id) const {
  std::map<std::int64_t, double> cores;
  Statement select(*database_,
                   "SELECT trial.id, value FROM trial JOIN telemetry ON trial_id = trial.id "
                   "WHERE study_id = ? AND NOT oversubscribed AND (name = 'cores_per_rank' OR "
                   "(name = 'threads' AND NOT EXISTS (SELECT 1 FROM cell_parameter WHERE "
                   "cell_parameter.cell_id = trial.cell_id AND cell_parameter.name = 'backend' "
                   "AND cell_parameter.value = 'cuda'))) ORDER BY name");
  for (select.bind(study_id); select.step();) {
    std::int64_t trial = 0;
    double value = 0.0;
    select.read_from(0, trial, value);
    cores.emplace(trial, value);  // what was recorded comes before threads
  }
  return cores;
}

std::map<std::int64_t, std::vector<TelemetryRow>> Store::telemetry(std::int64_t study_id,
                                                                   const std::string& name) const {
  std::map<std::int64_t, std::vector<TelemetryRow>> by_trial;
  Statement select(*database_,
                   "SELECT trial_id, " + table_of<TelemetryRow>().column_names() +
                       " FROM telemetry WHERE trial_id IN (SELECT id FROM trial WHERE study_id = "
                       "?1) AND (?2 = '' OR name = ?2) ORDER BY trial_id, name");
  for (select.bind(study_id, name); select.step();) {
    std::int64_t trial = 0;
    select.read_from(0, trial);
    sql::read_row(select, 1, by_trial[trial].emplace_back());
  }
  return by_trial;
}

void Store::note_look(std::int64_t study_id) {
  Statement insert(*database_,
                   "INSERT OR IGNORE INTO look(study_id, ended) SELECT ?1, count(*) FROM trial "
                   "JOIN cell ON cell.id = trial.cell_id WHERE trial.study_id = ?1 "
                   "AND cell.excluded_reason IS NULL "
                   "AND trial.state NOT IN ('planned', 'running', 'skipped', 'excluded') "
                   "AND NOT " +
                       std::string(kSuperseded));
  insert.bind(study_id).run();
}

std::vector<std::int64_t> Store::looks(std::int64_t study_id) const {
  std::vector<std::int64_t> numbers;
  Statement select(*database_, "SELECT ended FROM look WHERE study_id = ? ORDER BY ended");
  for (select.bind(study_id); select.step();) {
    select.read_from(0, numbers.emplace_back());
  }
  return numbers;
}

}  // namespace scalestudy
