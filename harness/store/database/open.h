// Opens the database file with the settings the store relies on.
#pragma once

#include <filesystem>
#include <memory>

namespace SQLite {
class Database;
}

namespace scalestudy {

// results/results.db for reading and writing, folder and file made when missing, schema up to date.
std::unique_ptr<SQLite::Database> open_for_writing(const std::filesystem::path& results);

// The same file, never written; also in a folder that this user may not write. One of an older
// schema is read from a copy in memory that is brought up to date, until some command that writes
// does that to the file.
std::unique_ptr<SQLite::Database> open_for_reading(const std::filesystem::path& results);

std::unique_ptr<SQLite::Database> open_empty_in_memory();

}  // namespace scalestudy
