#include "harness/store/database/migrations.h"

#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.h"
#include "harness/store/database/own_schema.h"
#include "harness/store/database/schema.h"
#include "harness/store/tables/sql.h"

namespace scalestudy {
namespace {

// The version of a database of ours, 0 for one without tables.
int read_version(const SQLite::Database& database, int newest) {
  const std::int64_t application = sql::read_integer(database, "PRAGMA application_id");
  const std::int64_t version = sql::read_integer(database, "PRAGMA user_version");
  const std::int64_t tables = sql::read_integer(database, "SELECT count(*) FROM sqlite_schema");
  const std::string& path = database.getFilename();
  if (application != kApplicationId && (application != 0 || tables > 0)) {
    throw Error(ErrorKind::kStore,
                path + ": a SQLite database, but not one of scalestudy's; choose another folder");
  }
  if (version < 0 || version > newest) {
    throw Error(ErrorKind::kStore,
                path + ": schema version " + std::to_string(version) +
                    ", this scalestudy knows versions up to " + std::to_string(newest) +
                    "; use the newer scalestudy that wrote it, or another folder");
  }
  return static_cast<int>(version);
}

}  // namespace

int newest_schema_version() {
  return static_cast<int>(migrations().size());
}

void require_ours(const SQLite::Database& database) {
  const int version = read_version(database, newest_schema_version());
  if (version > 0) {
    require_own_tables(database, migrations().first(static_cast<std::size_t>(version)));
  }
}

void migrate(SQLite::Database& database, std::span<const std::string_view> steps) {
  const int newest = static_cast<int>(steps.size());
  if (read_version(database, newest) == newest && has_own_views(database)) {
    return;
  }
  // A table that others refer to can be made anew; a transaction cannot switch this.
  sql::execute(database, "PRAGMA foreign_keys = OFF");
  sql::Transaction transaction(database);
  const int version =
      read_version(database, newest);  // again: another process may have been faster
  sql::execute(database, std::string(kDropViews));
  for (std::size_t step = static_cast<std::size_t>(version); step < steps.size(); ++step) {
    sql::execute(database, std::string(steps[step]));
  }
  std::string views;
  for (const std::string_view part : kViews) {
    views += part;
  }
  sql::execute(database, views);
  sql::execute(database, "PRAGMA application_id = " + std::to_string(kApplicationId));
  sql::execute(database, "PRAGMA user_version = " + std::to_string(newest));
  transaction.commit();
  sql::execute(database, "PRAGMA foreign_keys = ON");
}

bool has_older_schema(const SQLite::Database& database) {
  const int newest = newest_schema_version();
  const int version = read_version(database, newest);
  if (version == 0) {
    throw Error(ErrorKind::kStore,
                database.getFilename() + ": an empty database; nothing was run here yet");
  }
  require_own_tables(database, migrations().first(static_cast<std::size_t>(version)));
  return version < newest || !has_own_views(database);
}

}  // namespace scalestudy
