// Brings a database of an older version up to date, one step after the other.
#pragma once

#include <span>
#include <string_view>

namespace SQLite {
class Database;
}

namespace scalestudy {

// "SSDY", in the file's header: `file results.db` and we can tell our files from other databases.
inline constexpr int kApplicationId = 0x53534459;

// The SQL that takes the tables from one version to the next; the n-th (from 0) makes version n
// + 1.
std::span<const std::string_view> migrations();

// The version this program writes.
int newest_schema_version();

// Throws Error{kStore} for a database of another program, of a newer version, or with other tables
// (require_own_tables); changes nothing.
void require_ours(const SQLite::Database& database);

// Runs the steps that `database` lacks and makes the views again where they are not these, all in
// one transaction.
//   steps   migrations(), or a test's.
//   throws  Error{kStore} when the database is newer than `steps`, or is not one of scalestudy's.
void migrate(SQLite::Database& database, std::span<const std::string_view> steps);

// Whether migrate(database, migrations()) would change it.
//   throws  Error{kStore} when it is newer, empty, or not one of scalestudy's, as require_ours.
bool has_older_schema(const SQLite::Database& database);

}  // namespace scalestudy
