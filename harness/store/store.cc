#include "harness/store/store.h"

#include <algorithm>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/store/database/open.h"
#include "harness/store/tables/columns.h"
#include "harness/store/tables/sql.h"
#include "harness/store/tables/table_sql.h"
#include "harness/study/declared/study_name.h"
#include "harness/study/parameters/told_variables.h"

namespace scalestudy {

namespace fs = std::filesystem;
using sql::Statement;

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

bool Store::exists(const fs::path& results) {
  return has_store(results);
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

void Store::leave_file() {
  if (database_->getFilename() == ":memory:") {
    sql::execute(*database_, "PRAGMA query_only = OFF");  // a copy of a store with older tables
  } else {
    database_ = copy_in_memory(*database_);
  }
}

// ---- studies and cells

std::optional<StudyRow> Store::find_study(const std::string& name) const {
  for (StudyRow& study : studies()) {
    if (study.name == name) {
      return std::move(study);
    }
  }
  return std::nullopt;
}

StudyRow Store::study(std::int64_t id) const {
  for (StudyRow& row : studies()) {
    if (row.id == id) {
      return std::move(row);
    }
  }
  throw Error(
      ErrorKind::kStore,
      fmt::format("{}: no study has the id {}; `list` shows them", database_->getFilename(), id));
}

std::vector<StudyRow> Store::studies() const {
  auto rows = sql::read_rows<StudyRow>(*database_, "ORDER BY id");
  std::erase_if(rows, [](const StudyRow& row) { return !is_study_name(row.name); });
  return rows;
}

std::int64_t Store::put_study(const StudyRow& study) {
  sql::Transaction transaction(*database_);
  Statement upsert(*database_, sql::upsert_text<StudyRow>("", "name"));
  sql::run_with(upsert.bind(), study);
  Statement find(*database_, "SELECT id FROM study WHERE name = ?");
  std::int64_t id = 0;
  find.bind(study.name).step();
  find.read_from(0, id);
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
  Statement upsert(*database_, sql::upsert_text<CellRow>("study_id, ", "study_id, hash"));
  Statement find(*database_, "SELECT id FROM cell WHERE study_id = ? AND hash = ?");
  Statement forget(*database_, "DELETE FROM cell_parameter WHERE cell_id = ?");
  Statement parameter(*database_, sql::insert_text<CellRow::Parameter>("cell_id, "));
  for (const CellRow& cell : cells) {
    sql::run_with(upsert.bind(study_id), cell);
    std::int64_t id = 0;
    find.bind(study_id, cell.hash).step();
    find.read_from(0, id);
    // What is varied belongs to the study as it is now; the values are those of the hash.
    forget.bind(id).run();
    for (const CellRow::Parameter& value : cell.parameters) {
      sql::run_with(parameter.bind(id), value);
    }
  }
  transaction.commit();
}

std::vector<CellRow> Store::cells(std::int64_t study_id) const {
  auto cells = sql::read_rows<CellRow>(*database_, "WHERE study_id = ? ORDER BY id", study_id);
  for (CellRow& row : cells) {
    row.study_id = study_id;
  }
  Statement parameters(*database_,
                       "SELECT cell_id, " + table_of<CellRow::Parameter>().column_names() +
                           " FROM cell_parameter WHERE cell_id IN (SELECT id FROM cell WHERE "
                           "study_id = ?) ORDER BY cell_id, name");
  auto cell = cells.begin();
  for (parameters.bind(study_id); parameters.step();) {
    std::int64_t cell_id = 0;
    parameters.read_from(0, cell_id);
    cell = std::ranges::find(cell, cells.end(), cell_id, &CellRow::id);
    sql::read_row(parameters, 1, cell->parameters.emplace_back());
  }
  return cells;
}

// ---- sessions

std::int64_t Store::begin_session(const SessionRow& session,
                                  const std::vector<EnvironmentRow>& environment) {
  sql::Transaction transaction(*database_);
  Statement insert(*database_, sql::insert_text<SessionRow>());
  SessionRow row = session;
  row.uid = row.uid.empty() ? random_uid() : row.uid;
  sql::run_with(insert.bind(), row);
  const std::int64_t id = sql::last_insert_id(*database_);
  Statement fact(*database_, sql::insert_text<EnvironmentRow>("session_id, "));
  for (const EnvironmentRow& known : environment) {
    sql::run_with(fact.bind(id), known);
  }
  transaction.commit();
  return id;
}

void Store::end_session(std::int64_t session_id,
                        const std::string& finished_at,
                        SessionEnding ending) {
  Statement update(*database_, "UPDATE session SET finished_at = ?, ending = ? WHERE id = ?");
  update.bind(finished_at, ending, session_id).run();
}

std::vector<SessionRow> Store::sessions(std::int64_t study_id) const {
  return sql::read_rows<SessionRow>(*database_, "WHERE study_id = ? ORDER BY id", study_id);
}

std::vector<EnvironmentRow> Store::environment(std::int64_t session_id) const {
  auto facts =
      sql::read_rows<EnvironmentRow>(*database_, "WHERE session_id = ? ORDER BY name", session_id);
  std::erase_if(facts, [](const EnvironmentRow& fact) { return !is_told_fact(fact.name); });
  return facts;
}

}  // namespace scalestudy
