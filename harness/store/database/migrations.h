// Brings a database of an older version up to date, step by step.
#pragma once

#include <span>
#include <string_view>

namespace SQLite {
class Database;
}

namespace scalestudy {

// "SSDY" in the file's header, by which `file results.db` and scalestudy recognise its databases.
inline constexpr int kApplicationId = 0x53534459;

// The SQL of every step from one version of the tables to the next: step n (from 0) makes version
// n + 1.
std::span<const std::string_view> migrations();

// The schema version that this program writes.
int newest_schema_version();

// Throws Error{kStore} for a database of another program, of a newer version, or with tables that
// are not scalestudy's (require_own_tables). Changes nothing.
void require_ours(const SQLite::Database& database);

// Runs the steps that `database` lacks and recreates views that are not the newest, all in one
// transaction.
// - steps: migrations(), or a test's.
// - throws: Error{kStore} if the database is newer than `steps`, or is not one of scalestudy's.
void migrate(SQLite::Database& database, std::span<const std::string_view> steps);

// The same with migrations(). An empty database gets the newest tables at once, in 2 ms instead of
// 80.
void migrate(SQLite::Database& database);

// Whether the database has no tables yet. Throws as require_ours does.
bool is_empty(const SQLite::Database& database);

// Whether migrate(database) would change the tables of the database.
// - throws: Error{kStore} if it is newer, empty, or not one of scalestudy's, as require_ours does.
bool has_older_tables(const SQLite::Database& database);

}  // namespace scalestudy
