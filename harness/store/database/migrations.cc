#include "harness/store/database/migrations.h"

#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.h"
#include "harness/store/database/own_schema.h"
#include "harness/store/database/schema.h"
#include "harness/store/tables/sql.h"

namespace scalestudy {
namespace {

// The tables that all steps make of an empty database.
constexpr std::string_view kNewestTables =
#include "harness/store/database/newest_tables.sql"
    ;

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

// As migrate(), where `whole` is what `steps` make of an empty database; "" if that is not known.
void bring_up_to_date(SQLite::Database& database,
                      std::span<const std::string_view> steps,
                      std::string_view whole) {
  const int newest = static_cast<int>(steps.size());
  if (read_version(database, newest) == newest && has_own_views(database)) {
    return;
  }
  // A table that others refer to can be made anew; a transaction cannot switch this.
  sql::execute(database, "PRAGMA foreign_keys = OFF");
  sql::Transaction transaction(database);
  // Again: another process may have been faster.
  auto done = static_cast<std::size_t>(read_version(database, newest));
  sql::execute(database, std::string(kDropViews));
  if (done == 0 && !whole.empty()) {
    sql::execute(database, std::string(whole));
    done = steps.size();
  }
  for (; done < steps.size(); ++done) {
    sql::execute(database, std::string(steps[done]));
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
  bring_up_to_date(database, steps, {});
}

void migrate(SQLite::Database& database) {
  bring_up_to_date(database, migrations(), kNewestTables);
}

bool is_empty(const SQLite::Database& database) {
  return read_version(database, newest_schema_version()) == 0;
}

bool has_older_tables(const SQLite::Database& database) {
  const int newest = newest_schema_version();
  const int version = read_version(database, newest);
  if (version == 0) {
    throw Error(ErrorKind::kStore,
                database.getFilename() + ": an empty database; nothing was run here yet");
  }
  require_own_tables(database, migrations().first(static_cast<std::size_t>(version)));
  return version < newest;
}

}  // namespace scalestudy
