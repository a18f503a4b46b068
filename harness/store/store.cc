#include "harness/store/store.h"

#include <map>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "harness/store/migrations.h"
#include "harness/store/open.h"
#include "harness/store/sql.h"
#include "harness/store/tables.h"

namespace scalestudy {

namespace fs = std::filesystem;
using sql::Statement;
using sql::Table;

Store::Store(std::unique_ptr<SQLite::Database> database, fs::path results)
    : database_(std::move(database)), results_(std::move(results)) {}

Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const fs::path& results) {
  return Store(open_for_writing(results), results);
}

Store Store::open_read_only(const fs::path& results) {
  return Store(open_for_reading(results), results);
}

Store Store::open_in_memory() {
  return Store(open_empty_in_memory(), {});
}

void Store::wait_for_writers(std::function<bool(double)> go_on) {
  go_on_ = std::make_unique<std::function<bool(double)>>(std::move(go_on));
  sqlite3_busy_handler(
      database_->getHandle(),
      [](void* asked, int calls) {
        constexpr int interval_ms = 50;
        sqlite3_sleep(interval_ms);
        const double waited_s = 1e-3 * interval_ms * (calls + 1);
        return (*static_cast<std::function<bool(double)>*>(asked))(waited_s) ? 1 : 0;
      },
      go_on_.get());
}

const fs::path& Store::results_folder() const {
  return results_;
}

int Store::schema_version() const {
  return static_cast<int>(sql::read_integer(*database_, "PRAGMA user_version"));
}

// ---- studies and cells

namespace {

std::string select_text(const char* columns, const char* rest) {
  return "SELECT id, " + std::string(columns) + " " + rest;
}

}  // namespace

std::optional<StudyRow> Store::find_study(const std::string& name) const {
  for (StudyRow& study : studies()) {
    if (study.name == name) {
      return std::move(study);
    }
  }
  return std::nullopt;
}

std::vector<StudyRow> Store::studies() const {
  std::vector<StudyRow> studies;
  Statement select(*database_, select_text(Table<StudyRow>::columns, "FROM study ORDER BY id"));
  while (select.step()) {
    StudyRow& row = studies.emplace_back();
    select.read_from(0, row.id);
    sql::read_row(select, 1, row);
  }
  return studies;
}

std::int64_t Store::put_study(const StudyRow& study) {
  sql::Transaction transaction(*database_);
  Statement upsert(*database_,
                   sql::insert_text<StudyRow>("", 0) +
                       " ON CONFLICT (name) DO UPDATE SET title = excluded.title, "
                       "hash = excluded.hash, source_path = excluded.source_path, "
                       "source_text = excluded.source_text, scaling = excluded.scaling "
                       "RETURNING id");
  sql::bind_row(upsert.bind(), study);
  upsert.step();
  std::int64_t id = 0;
  upsert.read_from(0, id);
  upsert.step();  // to the end: the statement must be finished before the commit
  transaction.commit();
  return id;
}

void Store::put_cells(std::int64_t study_id,
                      const std::vector<CellRow>& cells,
                      const std::string& dropped_reason) {
  sql::Transaction transaction(*database_);
  // Every known cell is dropped first; what is in the study has its own reason, or none, again.
  Statement(*database_, "UPDATE cell SET excluded_reason = ? WHERE study_id = ?")
      .bind(dropped_reason, study_id)
      .run();
  Statement upsert(*database_,
                   sql::insert_text<CellRow>("study_id, ", 1) +
                       " ON CONFLICT (study_id, hash) DO UPDATE SET role = excluded.role, label = "
                       "excluded.label, "
                       "control_of = excluded.control_of, baseline = excluded.baseline, "
                       "baseline_problem = excluded.baseline_problem, excluded_reason = "
                       "excluded.excluded_reason, "
                       "oversubscribed = excluded.oversubscribed");
  Statement find(*database_, "SELECT id FROM cell WHERE study_id = ? AND hash = ?");
  Statement forget(*database_, "DELETE FROM cell_parameter WHERE cell_id = ?");
  Statement parameter(*database_, "INSERT INTO cell_parameter VALUES (?, ?, ?, ?, ?)");
  for (const CellRow& cell : cells) {
    sql::bind_row(upsert.bind(study_id), cell);
    upsert.run();
    std::int64_t id = 0;
    find.bind(study_id, cell.hash).step();
    find.read_from(0, id);
    // What is varied belongs to the study as it is now; the values are those of the hash.
    forget.bind(id).run();
    for (const CellRow::Parameter& value : cell.parameters) {
      parameter.bind(id, value.name, value.value, value.kind, value.varied).run();
    }
  }
  transaction.commit();
}

std::vector<CellRow> Store::cells(std::int64_t study_id) const {
  std::vector<CellRow> cells;
  std::map<std::int64_t, std::size_t> index;
  Statement select(
      *database_, select_text(Table<CellRow>::columns, "FROM cell WHERE study_id = ? ORDER BY id"));
  for (select.bind(study_id); select.step();) {
    CellRow& row = cells.emplace_back();
    row.study_id = study_id;
    select.read_from(0, row.id);
    sql::read_row(select, 1, row);
    index[row.id] = cells.size() - 1;
  }
  Statement parameters(*database_,
                       "SELECT cell_id, name, value, kind, varied FROM cell_parameter "
                       "WHERE cell_id IN (SELECT id FROM cell WHERE study_id = ?) "
                       "ORDER BY cell_id, name");
  for (parameters.bind(study_id); parameters.step();) {
    std::int64_t cell_id = 0;
    CellRow::Parameter value;
    parameters.read_from(0, cell_id, value.name, value.value, value.kind, value.varied);
    cells[index.at(cell_id)].parameters.push_back(std::move(value));
  }
  return cells;
}

// ---- sessions

std::int64_t Store::begin_session(const SessionRow& session,
                                  const std::vector<EnvironmentRow>& environment) {
  sql::Transaction transaction(*database_);
  Statement insert(*database_, sql::insert_text<SessionRow>("", 0));
  sql::bind_row(insert.bind(), session);
  insert.run();
  const std::int64_t id = sql::last_insert_id(*database_);
  Statement fact(*database_, "INSERT INTO environment VALUES (?, ?, ?)");
  for (const EnvironmentRow& row : environment) {
    fact.bind(id, row.name, row.value).run();
  }
  transaction.commit();
  return id;
}

void Store::end_session(std::int64_t session_id,
                        const std::string& finished_at,
                        const std::string& ending) {
  Statement update(*database_, "UPDATE session SET finished_at = ?, ending = ? WHERE id = ?");
  update.bind(finished_at, ending, session_id).run();
}

std::vector<SessionRow> Store::sessions(std::int64_t study_id) const {
  std::vector<SessionRow> sessions;
  Statement select(
      *database_,
      select_text(Table<SessionRow>::columns, "FROM session WHERE study_id = ? ORDER BY id"));
  for (select.bind(study_id); select.step();) {
    SessionRow& row = sessions.emplace_back();
    select.read_from(0, row.id);
    sql::read_row(select, 1, row);
  }
  return sessions;
}

std::vector<EnvironmentRow> Store::environment(std::int64_t session_id) const {
  std::vector<EnvironmentRow> rows;
  Statement select(*database_,
                   "SELECT name, value FROM environment WHERE session_id = ? ORDER BY name");
  for (select.bind(session_id); select.step();) {
    EnvironmentRow& row = rows.emplace_back();
    select.read_from(0, row.name, row.value);
  }
  return rows;
}

}  // namespace scalestudy
