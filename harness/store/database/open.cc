#include "harness/store/database/open.h"

#include <string>
#include <string_view>

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/store/database/filesystem.h"
#include "harness/store/database/migrations.h"
#include "harness/store/database/own_schema.h"
#include "harness/store/database/sql_guard.h"
#include "harness/store/tables/sql.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

// How long to wait for another program that writes: longer than any transaction of ours.
constexpr int kBusyTimeoutMs = 10'000;

std::unique_ptr<SQLite::Database> open_file(const std::string& name,
                                            int flags,
                                            const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    throw Error(ErrorKind::kStore,
                path.string() + ": no regular file; move it away, or choose another folder");
  }
  try {
    // Without a mutex around each call: no two threads share a store.
    return std::make_unique<SQLite::Database>(name, flags | SQLite::OPEN_NOMUTEX, kBusyTimeoutMs);
  } catch (const SQLite::Exception& error) {
    throw sql::store_error(path.string(), error.getErrorCode(), error.what());
  }
}

// Settings of every connection. Foreign keys are off by default in SQLite; its cache of 2 MB is too
// small for the indexes of a study of hundreds of cells, whose pages would be read again and again.
void configure(SQLite::Database& database) {
  sql::execute(database, "PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536");
  harden(database.getHandle());
}

// `path` as a URI: what the URI grammar would read as its own is escaped.
std::string file_uri(const fs::path& path, std::string_view query) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    switch (c) {
      case '%':
        uri += "%25";
        break;
      case '?':
        uri += "%3f";
        break;
      case '#':
        uri += "%23";
        break;
      default:
        uri += c;
    }
  }
  return uri.append(query);
}

// Whether the schema can be read: false when the file is in WAL mode and SQLite may not make the
// shared memory file beside it (a folder or file system that is read-only).
bool can_read(const SQLite::Database& database) {
  try {
    const SQLite::Statement statement(database, "SELECT count(*) FROM sqlite_schema");
    return true;
  } catch (const SQLite::Exception& error) {
    const int code = error.getErrorCode() & 0xff;
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) {
      return false;
    }
    throw sql::store_error(database.getFilename(), error.getErrorCode(), error.what());
  }
}

bool has_content(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return !error && size > 0;
}

[[noreturn]] void refuse_unfinished(const fs::path& path, const fs::path& log) {
  throw Error(ErrorKind::kStore,
              path.string() + ": holds changes in " + log.filename().string() +
                  " that cannot be read in a folder you may not write; copy the folder and read "
                  "the copy");
}

// Undoes what a writer without WAL left half done when it was killed, as the next writer would.
void roll_back(const fs::path& path, const fs::path& journal) {
  try {
    const auto database = open_file(path.string(), SQLite::OPEN_READWRITE, path);
    if (can_read(*database)) {
      return;
    }
  } catch (const Error&) {
    // as below
  }
  refuse_unfinished(path, journal);
}

// As it is on disk, whatever its schema.
std::unique_ptr<SQLite::Database> open_as_it_is(const fs::path& path) {
  auto database = open_file(path.string(), SQLite::OPEN_READONLY, path);
  if (!can_read(*database)) {
    if (const fs::path log = path.string() + "-wal"; has_content(log)) {
      refuse_unfinished(path, log);
    }
    if (const fs::path journal = path.string() + "-journal"; has_content(journal)) {
      database.reset();
      roll_back(path, journal);
      database = open_file(path.string(), SQLite::OPEN_READONLY, path);
    } else {
      // Nobody writes here, and everything is in the main file: read it without locks.
      database =
          open_file(file_uri(path, "?immutable=1"), SQLite::OPEN_READONLY | SQLite::OPEN_URI, path);
    }
  }
  configure(*database);
  return database;
}

}  // namespace

std::unique_ptr<SQLite::Database> open_for_writing(const fs::path& results) {
  std::error_code error;
  if (std::error_code ignored; !create_private_folder(results, error)) {
    throw Error(ErrorKind::kStore,
                results.string() + ": cannot be created as a folder (" +
                    (fs::exists(results, ignored) ? "a file has this name" : error.message()) +
                    "); choose another one with --results");
  }
  const fs::path path = results / "results.db";
  // Made by us, as SQLite would let others read it; its journals get the same permissions.
  if (const int made = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); made >= 0) {
    close(made);
  }
  auto database = open_file(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, path);
  configure(*database);
  require_ours(*database);
  // WAL lets readers go on while a trial is stored; it needs shared memory, which network file
  // systems do not have. FULL in both: one commit a trial costs one fsync (milliseconds, against a
  // trial of seconds), and a trial that was reported as stored survives loss of power too; NORMAL
  // would only survive kill -9.
  const std::string journal = is_on_network_filesystem(results) ? "DELETE" : "WAL";
  sql::execute(*database, "PRAGMA journal_mode = " + journal + "; PRAGMA synchronous = FULL;");
  migrate(*database);
  return database;
}

std::unique_ptr<SQLite::Database> open_for_reading(const fs::path& results) {
  const fs::path path = results / "results.db";
  if (!fs::exists(path)) {
    throw Error(
        ErrorKind::kStore,
        path.string() + ": no such file; run a study first, or name its folder with --results");
  }
  auto database = open_as_it_is(path);
  if (has_older_tables(*database)) {
    database = copy_in_memory(*database);
  } else if (!has_own_views(*database)) {
    // A view that somebody added must show what the newest views show.
    if (has_other_views(*database)) {
      database = copy_in_memory(*database);
    } else {
      cover_views(*database);
    }
  }
  sql::execute(*database, "PRAGMA query_only = ON");
  return database;
}

std::unique_ptr<SQLite::Database> copy_in_memory(SQLite::Database& database) {
  auto copy =
      std::make_unique<SQLite::Database>(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  try {
    if (SQLite::Backup(*copy, database).executeStep() != SQLITE_DONE) {
      throw sql::store_error(database.getFilename(), SQLITE_BUSY, "another program is writing it");
    }
  } catch (const SQLite::Exception& error) {
    throw sql::store_error(database.getFilename(), error.getErrorCode(), error.what());
  }
  configure(*copy);
  migrate(*copy);
  return copy;
}

bool has_store(const fs::path& results) {
  const fs::path path = results / "results.db";
  return fs::exists(path) && !is_empty(*open_as_it_is(path));
}

std::unique_ptr<SQLite::Database> open_empty_in_memory() {
  auto database =
      std::make_unique<SQLite::Database>(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  configure(*database);
  migrate(*database);
  return database;
}

}  // namespace scalestudy
