// Published figures: kept beside what was measured, never mixed with it.
#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/store.h"
#include "harness/store/tables/inserts.h"
#include "harness/store/tables/table_sql.h"

namespace scalestudy {
namespace {

using sql::Statement;

bool is_stored(const SQLite::Database& database, const PublicationRow& publication) {
  Statement find(database,
                 "SELECT id FROM publication WHERE study_id IS ? AND kind = ? AND hash = ?");
  return find.bind(publication.study_id, publication.kind, publication.hash).step();
}

// Removes the publication that `publication` takes the place of; false when there is none.
bool remove_older(const SQLite::Database& database, const PublicationRow& publication) {
  // A dataset keeps its name wherever its folder is; a file is known by its path.
  const bool is_dataset = publication.kind == PublicationKind::kDataset;
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

}  // namespace

void insert_publication(const SQLite::Database& database, const PublicationRow& publication) {
  Statement row(database, sql::insert_text<PublicationRow>());
  sql::run_with(row.bind(), publication);
  const std::int64_t id = sql::last_insert_id(database);
  Statement figures(database, sql::insert_text<PublishedFigureRow>("publication_id, "));
  for (const PublishedFigureRow& figure : publication.figures) {
    sql::run_with(figures.bind(id), figure);
  }
}

std::vector<ImportEffect> Store::put_publications(const std::vector<PublicationRow>& publications) {
  sql::Transaction transaction(*database_);
  std::vector<ImportEffect> effects;
  for (const PublicationRow& publication : publications) {
    if (is_stored(*database_, publication)) {
      effects.push_back(ImportEffect::kUnchanged);
      continue;
    }
    const bool replaces = remove_older(*database_, publication);
    insert_publication(*database_, publication);
    effects.push_back(replaces ? ImportEffect::kReplaced : ImportEffect::kStored);
  }
  transaction.commit();
  return effects;
}

std::vector<PublicationRow> Store::publications(std::optional<std::int64_t> study_id) const {
  auto publications =
      sql::read_rows<PublicationRow>(*database_, "WHERE study_id IS ? ORDER BY id", study_id);
  for (PublicationRow& publication : publications) {
    publication.figures = sql::read_rows<PublishedFigureRow>(
        *database_, "WHERE publication_id = ? ORDER BY id", publication.id);
  }
  return publications;
}

}  // namespace scalestudy
