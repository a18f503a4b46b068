// Published figures: kept beside what was measured, never mixed with it.
#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/published_tables.h"
#include "harness/store/sql.h"
#include "harness/store/store.h"

namespace scalestudy {
namespace {

using sql::Statement;
using sql::Table;

bool is_stored(const SQLite::Database& database, const PublicationRow& publication) {
  Statement find(database,
                 "SELECT id FROM publication WHERE study_id IS ? AND kind = ? AND hash = ?");
  return find.bind(publication.study_id, publication.kind, publication.hash).step();
}

// Removes the publication that `publication` takes the place of; false when there is none.
bool remove_older(const SQLite::Database& database, const PublicationRow& publication) {
  // A dataset keeps its name wherever its folder is; a file is known by its path.
  const bool is_dataset = publication.kind == "published-dataset";
  Statement find(database,
                 "SELECT id FROM publication WHERE study_id IS ? AND kind = ? AND " +
                     std::string(is_dataset ? "source" : "path") + " = ?");
  find.bind(
      publication.study_id, publication.kind, is_dataset ? publication.source : publication.path);
  if (!find.step()) {
    return false;
  }
  std::int64_t id = 0;
  find.read_from(0, id);
  Statement(database, "DELETE FROM published_figure WHERE publication_id = ?").bind(id).run();
  Statement(database, "DELETE FROM publication WHERE id = ?").bind(id).run();
  return true;
}

void insert(const SQLite::Database& database, const PublicationRow& publication) {
  Statement row(database, sql::insert_text<PublicationRow>("", 0));
  sql::bind_row(row.bind(), publication);
  row.run();
  const std::int64_t id = sql::last_insert_id(database);
  Statement figures(database, sql::insert_text<PublishedFigureRow>("publication_id, ", 1));
  for (const PublishedFigureRow& figure : publication.figures) {
    sql::bind_row(figures.bind(id), figure);
    figures.run();
  }
}

std::vector<PublishedFigureRow> read_figures(const SQLite::Database& database,
                                             std::int64_t publication_id) {
  std::vector<PublishedFigureRow> figures;
  Statement select(database,
                   "SELECT id, " + std::string(Table<PublishedFigureRow>::columns) +
                       " FROM published_figure WHERE publication_id = ? ORDER BY id");
  for (select.bind(publication_id); select.step();) {
    PublishedFigureRow& figure = figures.emplace_back();
    select.read_from(0, figure.id);
    sql::read_row(select, 1, figure);
  }
  return figures;
}

}  // namespace

std::vector<ImportEffect> Store::put_publications(const std::vector<PublicationRow>& publications) {
  sql::Transaction transaction(*database_);
  std::vector<ImportEffect> effects;
  for (const PublicationRow& publication : publications) {
    if (is_stored(*database_, publication)) {
      effects.push_back(ImportEffect::kUnchanged);
      continue;
    }
    const bool replaces = remove_older(*database_, publication);
    insert(*database_, publication);
    effects.push_back(replaces ? ImportEffect::kReplaced : ImportEffect::kStored);
  }
  transaction.commit();
  return effects;
}

std::vector<PublicationRow> Store::publications(std::int64_t study_id) const {
  std::vector<PublicationRow> publications;
  Statement select(*database_,
                   "SELECT id, " + std::string(Table<PublicationRow>::columns) +
                       " FROM publication WHERE study_id = ? ORDER BY id");
  for (select.bind(study_id); select.step();) {
    std::int64_t id = 0;
    select.read_from(0, id);
    PublicationRow& publication = publications.emplace_back();
    sql::read_row(select, 1, publication);
    publication.figures = read_figures(*database_, id);
  }
  return publications;
}

}  // namespace scalestudy
