// What a store holds, read without its own numbers and written with new ones.
#include <algorithm>
#include <map>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/store/store.h"
#include "harness/store/tables/columns.h"
#include "harness/store/tables/inserts.h"
#include "harness/store/tables/sql.h"
#include "harness/store/tables/table_sql.h"
#include "harness/study/declared/study_name.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

using sql::Statement;

std::vector<SessionContent> read_sessions(const Store& store, std::int64_t study_id) {
  std::vector<SessionContent> sessions;
  for (SessionRow& row : store.sessions(study_id)) {
    row.study_id = 0;
    std::vector<EnvironmentRow> environment = store.environment(row.id);
    sessions.push_back({.row = std::move(row), .environment = std::move(environment)});
  }
  return sessions;
}

std::vector<LogRow> read_logs(const SQLite::Database& database, std::int64_t trial_id) {
  return sql::read_rows<LogRow>(database, "WHERE trial_id = ? ORDER BY id", trial_id);
}

// What `row` names by its id; a store whose rows name what is not there was changed by another
// program.
template <typename Value>
const Value& named_by(const std::string& row,
                      std::int64_t id,
                      const std::map<std::int64_t, Value>& values) {
  const auto found = values.find(id);
  if (found == values.end()) {
    throw Error(
        ErrorKind::kStore,
        fmt::format("results.db: {} names {}, which its study lacks; the file is damaged, or "
                    "another program changed it",
                    row,
                    id));
  }
  return found->second;
}

TrialContent without_ids(TrialRow row,
                         const std::map<std::int64_t, std::string>& cells,
                         const std::map<std::int64_t, std::string>& sessions) {
  if (row.state == TrialState::kRunning) {
    row.state = TrialState::kPlanned;
    row.session_id.reset();
    row.started_at.reset();
  }
  TrialContent trial;
  trial.cell = named_by("the cell of a trial", row.cell_id, cells);
  trial.session =
      row.session_id ? named_by("the session of a trial", *row.session_id, sessions) : "";
  row.study_id = 0;
  row.cell_id = 0;
  row.session_id.reset();
  row.superseded = false;
  trial.record.trial = std::move(row);
  return trial;
}

// Those that analysis keeps: with a time, from trials.
std::vector<ProjectionContent> read_projections(const SQLite::Database& database,
                                                std::int64_t study_id,
                                                const std::map<std::int64_t, AttemptName>& names) {
  std::vector<ProjectionContent> projections;
  for (ProjectionRow& row : sql::read_rows<ProjectionRow>(
           database,
           "WHERE study_id = ? AND provenance <> 'scenario' AND status = 'ok' ORDER BY id",
           study_id)) {
    ProjectionContent& read = projections.emplace_back();
    for (const std::int64_t trial : row.trials) {
      read.trials.push_back(named_by("a projection", trial, names));
    }
    std::ranges::sort(read.trials);
    row.trials.clear();
    row.cell_id.reset();
    row.measured.reset();
    row.error.reset();
    read.row = std::move(row);
  }
  return projections;
}

StudyContent read_study(const Store& store, const SQLite::Database& database, StudyRow row) {
  StudyContent content;
  const std::int64_t id = std::exchange(row.id, 0);
  content.study = std::move(row);
  std::map<std::int64_t, std::string> cells;
  for (CellRow& cell : store.cells(id)) {
    cells.emplace(cell.id, cell.hash);
    cell.id = 0;
    cell.study_id = 0;
    content.cells.push_back(std::move(cell));
  }
  content.sessions = read_sessions(store, id);
  std::map<std::int64_t, std::string> sessions;
  for (const SessionContent& session : content.sessions) {
    sessions.emplace(session.row.id, session.row.uid);
  }
  auto telemetry = store.telemetry(id);
  std::map<std::int64_t, std::vector<AnnotationRow>> annotations;
  for (AnnotationRow& annotation : store.annotations(id)) {
    annotations[std::exchange(annotation.trial_id, 0)].push_back(std::move(annotation));
  }
  std::map<std::int64_t, AttemptName> names;
  for (TrialRow& trial : store.trials(id)) {
    TrialContent& read =
        content.trials.emplace_back(without_ids(std::move(trial), cells, sessions));
    const std::int64_t trial_id = read.record.trial.id;
    read.record.series = store.series(trial_id);
    read.record.telemetry = std::move(telemetry[trial_id]);
    read.record.logs = read_logs(database, trial_id);
    read.annotations = std::move(annotations[trial_id]);
    names.emplace(trial_id, attempt_name(read));
  }
  content.looks = store.looks(id);
  content.additions = store.additions(id);
  content.projections = read_projections(database, id, names);
  content.publications = store.publications(id);
  for (PublicationRow& publication : content.publications) {
    publication.study_id.reset();
  }
  return content;
}

// Deletes what results are made of. If a table that refers to one of these is missing here, its
// foreign key stops the deletion with an error.
constexpr const char* kForget =
    "DELETE FROM projection; DELETE FROM volume; DELETE FROM law_choice; "
    "DELETE FROM counterpart; DELETE FROM flagged_steps; DELETE FROM flag; DELETE FROM threat; "
    "DELETE FROM search_setting; DELETE FROM target_result; DELETE FROM law; DELETE FROM "
    "threshold; DELETE FROM comparison; "
    "DELETE FROM estimate; DELETE FROM published_figure; DELETE FROM publication; "
    "DELETE FROM addition; DELETE FROM look; DELETE FROM log; DELETE FROM telemetry; DELETE FROM "
    "series; "
    "DELETE FROM metric; DELETE FROM annotation; DELETE FROM trial; DELETE FROM environment; "
    "DELETE FROM session; "
    "DELETE FROM cell_parameter; DELETE FROM cell; DELETE FROM study;";

std::vector<std::string> read_misnamed(const SQLite::Database& database) {
  std::vector<std::string> names;
  for (const StudyRow& row : sql::read_rows<StudyRow>(database, "ORDER BY id")) {
    if (!is_study_name(row.name)) {
      names.push_back(row.name);
    }
  }
  return names;
}

void require_named(const Store& store, const std::vector<std::string>& misnamed) {
  if (!misnamed.empty()) {
    throw Error(ErrorKind::kStore,
                fmt::format("{}: the study name \"{}\" is not allowed; another program wrote it. "
                            "`scalestudy remove --misnamed` removes every such study",
                            (store.results_folder() / "results.db").string(),
                            printable(misnamed.front().substr(0, 80))));
  }
}

std::map<std::string, std::int64_t> write_cells(const SQLite::Database& database,
                                                std::int64_t study_id,
                                                const std::vector<CellRow>& cells) {
  std::map<std::string, std::int64_t> ids;
  Statement insert(database, sql::insert_text<CellRow>("study_id, "));
  Statement parameter(database, sql::insert_text<CellRow::Parameter>("cell_id, "));
  for (const CellRow& cell : cells) {
    sql::run_with(insert.bind(study_id), cell);
    const std::int64_t id = ids[cell.hash] = sql::last_insert_id(database);
    for (const CellRow::Parameter& value : cell.parameters) {
      sql::run_with(parameter.bind(id), value);
    }
  }
  return ids;
}

std::map<std::string, std::int64_t> write_sessions(const SQLite::Database& database,
                                                   std::int64_t study_id,
                                                   const std::vector<SessionContent>& sessions) {
  std::map<std::string, std::int64_t> ids;
  Statement insert(database, sql::insert_text<SessionRow>("id, "));
  Statement fact(database, sql::insert_text<EnvironmentRow>("session_id, "));
  for (const SessionContent& session : sessions) {
    SessionRow row = session.row;
    row.study_id = study_id;
    sql::run_with(insert.bind(row.id), row);
    ids[row.uid] = row.id;
    for (const EnvironmentRow& known : session.environment) {
      sql::run_with(fact.bind(row.id), known);
    }
  }
  return ids;
}

void write_publications(const SQLite::Database& database,
                        std::optional<std::int64_t> study_id,
                        const std::vector<PublicationRow>& publications) {
  for (PublicationRow row : publications) {
    row.study_id = study_id;
    insert_publication(database, row);
  }
}

void write_projections(const SQLite::Database& database,
                       std::int64_t study_id,
                       const std::vector<ProjectionContent>& projections,
                       const std::map<AttemptName, std::int64_t>& ids) {
  Statement insert(database, sql::insert_text<ProjectionRow>("study_id, "));
  for (const ProjectionContent& projection : projections) {
    ProjectionRow row = projection.row;
    for (const AttemptName& trial : projection.trials) {
      row.trials.push_back(ids.at(trial));
    }
    std::ranges::sort(row.trials);
    sql::run_with(insert.bind(study_id), row);
  }
}

void write_study(const SQLite::Database& database, const StudyContent& content) {
  Statement study(database, sql::insert_text<StudyRow>());
  sql::run_with(study.bind(), content.study);
  const std::int64_t study_id = sql::last_insert_id(database);
  const auto cells = write_cells(database, study_id, content.cells);
  const auto sessions = write_sessions(database, study_id, content.sessions);
  Statement insert(database, sql::insert_text<TrialRow>("id, "));
  Statement annotation(database, sql::insert_text<AnnotationRow>());
  std::map<AttemptName, std::int64_t> ids;
  for (const TrialContent& trial : content.trials) {
    TrialRow row = trial.record.trial;
    row.study_id = study_id;
    row.cell_id = cells.at(trial.cell);
    if (!trial.session.empty()) {
      row.session_id = sessions.at(trial.session);
    }
    sql::run_with(insert.bind(row.id), row);
    insert_left(database, trial.record);
    ids.emplace(attempt_name(trial), row.id);
    for (AnnotationRow said : trial.annotations) {
      said.trial_id = row.id;
      sql::run_with(annotation.bind(), said);
    }
  }
  Statement look(database, "INSERT INTO look(study_id, ended) VALUES (?, ?)");
  for (const std::int64_t ended : content.looks) {
    look.bind(study_id, ended).run();
  }
  Statement addition(database, sql::insert_text<Addition>("study_id, "));
  for (const Addition& added : content.additions) {
    sql::run_with(addition.bind(study_id), added);
  }
  write_projections(database, study_id, content.projections, ids);
  write_publications(database, study_id, content.publications);
}

}  // namespace

StoreContent Store::content() const {
  SQLite::Transaction snapshot(*database_);  // a run may store trials meanwhile
  require_named(*this, read_misnamed(*database_));
  StoreContent content;
  for (StudyRow& row : studies()) {
    content.studies.push_back(read_study(*this, *database_, std::move(row)));
  }
  content.publications = publications(std::nullopt);
  return content;
}

void Store::replace_content(const StoreContent& content) {
  sql::Transaction transaction(*database_);
  std::vector<std::string> misnamed = read_misnamed(*database_);  // they would go with the others
  for (const StudyContent& study : content.studies) {
    if (!is_study_name(study.study.name)) {
      misnamed.push_back(study.study.name);
    }
  }
  require_named(*this, misnamed);
  sql::execute(*database_, kForget);
  for (const StudyContent& study : content.studies) {
    write_study(*database_, study);
  }
  write_publications(*database_, std::nullopt, content.publications);
  transaction.commit();
}

}  // namespace scalestudy
