// Opens the database file with the settings the store relies on.
#pragma once

#include <filesystem>
#include <memory>

namespace SQLite {
class Database;
}

namespace scalestudy {

// Opens results/results.db for reading and writing. Creates folder and file if they are missing,
// and brings the schema up to date.
std::unique_ptr<SQLite::Database> open_for_writing(const std::filesystem::path& results);

// Opens results/results.db without ever writing it, even in a folder that the user may not write. A
// file of an older schema is copied into memory and the copy is brought up to date; the file itself
// stays as it is until a command writes to it.
std::unique_ptr<SQLite::Database> open_for_reading(const std::filesystem::path& results);

// A copy in memory with the newest schema, which may be written. Throws Error{kStore} if another
// program is writing the database.
std::unique_ptr<SQLite::Database> copy_in_memory(SQLite::Database& database);

// Whether results/results.db is there and has tables: a run that is killed while it makes the file
// leaves it without. Throws as open_for_reading() for what is no store.
bool has_store(const std::filesystem::path& results);

std::unique_ptr<SQLite::Database> open_empty_in_memory();

}  // namespace scalestudy
