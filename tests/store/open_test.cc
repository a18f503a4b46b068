// Opening: what is made, brought up to date, refused, and shared with readers.
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/store/database/filesystem.h"
#include "harness/store/database/migrations.h"
#include "harness/store/database/schema.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/statements.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

// A SQLite file made by something else than the store.
void make_database(const std::filesystem::path& path, const std::string& sql) {
  SQLite::Database database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(sql);
}

// Root may write everywhere: be somebody else for a scope. Does nothing for other users.
class Unprivileged {
 public:
  Unprivileged() : is_root_(::geteuid() == 0) {
    if (is_root_ && ::seteuid(65534) != 0) {
      throw std::runtime_error("cannot drop privileges");
    }
  }
  ~Unprivileged() {
    if (is_root_ && ::seteuid(0) != 0) {
      std::terminate();
    }
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  bool is_root_;
};

// No file may grow for a scope, as on a full disk.
class NoFileGrows {
 public:
  NoFileGrows() : on_limit_(std::signal(SIGXFSZ, SIG_IGN)) {
    if (getrlimit(RLIMIT_FSIZE, &before_) != 0) {
      throw std::runtime_error("cannot read the limit of files");
    }
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    if (setrlimit(RLIMIT_FSIZE, &none) != 0) {
      throw std::runtime_error("cannot limit the size of files");
    }
  }
  ~NoFileGrows() {
    if (setrlimit(RLIMIT_FSIZE, &before_) != 0) {
      std::terminate();
    }
    std::signal(SIGXFSZ, on_limit_);
  }
  NoFileGrows(const NoFileGrows&) = delete;
  NoFileGrows& operator=(const NoFileGrows&) = delete;

 private:
  void (*on_limit_)(int);
  rlimit before_{};
};

void make_read_only(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  fs::permissions(folder,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::group_read |
                      fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec);
}

void make_readable(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  fs::permissions(file, fs::perms::group_read | fs::perms::others_read, fs::perm_options::add);
}

}  // namespace

TEST_CASE("a missing folder and file are made with the newest schema", "[store]") {
  const TemporaryFolder folder;

  const Store store = Store::open(folder.path() / "a" / "b");

  CHECK(std::filesystem::exists(folder.path() / "a" / "b" / "results.db"));
  CHECK(store.results_folder() == folder.path() / "a" / "b");
  CHECK(pragma(store, "application_id") == kApplicationId);
  CHECK(pragma(store, "user_version") == newest_schema_version());
}

TEST_CASE("an empty file and a database of version 0 are brought up to date", "[store]") {
  const TemporaryFolder empty;
  std::ofstream(empty.path() / "results.db").flush();
  const TemporaryFolder old;
  make_database(old.path() / "results.db",
                "PRAGMA application_id = " + std::to_string(kApplicationId));

  for (const auto* folder : {&empty, &old}) {
    Store store = Store::open(folder->path());
    CHECK(pragma(store, "user_version") == newest_schema_version());
    CHECK(plan_small_study(store).trials.size() == 4);
  }
}

TEST_CASE("a store of a newer version is refused with what to do", "[store]") {
  const TemporaryFolder folder;
  Store::open(folder.path());
  make_database(folder.path() / "results.db", "PRAGMA user_version = 99");

  CHECK_THROWS_WITH(Store::open(folder.path()),
                    Catch::Contains("schema version 99") && Catch::Contains("newer scalestudy"));
  CHECK_THROWS_WITH(Store::open_read_only(folder.path()), Catch::Contains("schema version 99"));
}

TEST_CASE("a file that is no database of ours is refused and left alone", "[store]") {
  const TemporaryFolder text;
  std::ofstream(text.path() / "results.db") << std::string(5000, 'x');
  const TemporaryFolder foreign;
  make_database(foreign.path() / "results.db", "CREATE TABLE cookies (x)");

  CHECK_THROWS_WITH(Store::open(text.path()), Catch::Contains("not a SQLite database"));
  CHECK_THROWS_WITH(Store::open_read_only(text.path()), Catch::Contains("not a SQLite database"));
  const TemporaryFolder pipe;
  REQUIRE(mkfifo(pipe.file("results.db").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(Store::open(pipe.path()), Catch::Contains("no regular file"));
  CHECK_THROWS_WITH(Store::open_read_only(pipe.path()), Catch::Contains("no regular file"));
  CHECK_THROWS_WITH(Store::open(foreign.path()), Catch::Contains("not one of scalestudy's"));
  CHECK(std::filesystem::file_size(text.path() / "results.db") == 5000);
}

TEST_CASE("a database of another program is not changed before it is refused", "[store]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.db";
  make_database(path, "CREATE TABLE cookies (x)");
  const std::string before = scalestudy::test::read_file(path);

  CHECK_THROWS_WITH(Store::open(folder.path()), Catch::Contains("not one of scalestudy's"));

  CHECK(scalestudy::test::read_file(path) == before);
}

TEST_CASE("a transaction that a killed writer left half done is undone for a reader", "[store]") {
  const TemporaryFolder folder;
  const auto copy = folder.path() / "killed";
  const auto path = folder.path() / "results.db";
  {
    Store store = Store::open(folder.path());
    finish_all(store, plan_small_study(store));
  }
  make_database(path, "PRAGMA journal_mode = DELETE");
  {
    // Without WAL, and with a cache so small that pages reach the file before the commit.
    SQLite::Database writer(path.string(), SQLite::OPEN_READWRITE);
    writer.exec("PRAGMA cache_size = 1; PRAGMA synchronous = OFF; BEGIN IMMEDIATE");
    writer.exec("UPDATE trial SET state = 'failed', reason = hex(zeroblob(3000))");
    std::filesystem::create_directory(copy);
    for (const char* name : {"results.db", "results.db-journal"}) {
      std::filesystem::copy_file(folder.path() / name, copy / name);
    }
  }

  SECTION("by rolling it back, where the folder may be written") {
    const Store store = Store::open_read_only(copy);

    CHECK(store.query("SELECT DISTINCT state FROM trial").rows ==
          std::vector<std::vector<Field>>{{std::string("ok")}});
    CHECK(store.query("PRAGMA integrity_check").rows ==
          std::vector<std::vector<Field>>{{std::string("ok")}});
  }

  SECTION("or told, where it may not") {
    for (const char* name : {"results.db", "results.db-journal"}) {
      make_readable(copy / name);
    }
    make_read_only(copy);
    const Unprivileged nobody;

    CHECK_THROWS_WITH(Store::open_read_only(copy), Catch::Contains("results.db-journal"));
  }
}

TEST_CASE("a writer told to wait stores its trial however long another program writes",
          "[store][slow]") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path());
  const Planned planned = plan_small_study(store);
  SQLite::Database other((folder.path() / "results.db").string(), SQLite::OPEN_READWRITE);
  double waited_s = 0.0;
  store.wait_for_writers([&](double so_far_s) {
    waited_s = so_far_s;
    if (so_far_s > 10.5) {
      other.exec("COMMIT");
    }
    return true;
  });
  other.exec("BEGIN IMMEDIATE");

  store.finish_trial(make_record(planned.trials[0], {1.0}), false);

  CHECK(waited_s > 10.5);  // the busy timeout without it is 10 s
  CHECK(store.trials(planned.study_id)[0].state == TrialState::kOk);
  store.wait_for_writers([](double) { return false; });
  other.exec("BEGIN IMMEDIATE");
  CHECK_THROWS_WITH(store.finish_trial(make_record(planned.trials[1], {1.0}), false),
                    Catch::Contains("another program is writing"));
}

TEST_CASE("a store with views of another version is read where it is, in terms of today's",
          "[store]") {
  const TemporaryFolder folder;
  {
    Store store = Store::open(folder.path());
    plan_small_study(store);
  }
  make_database(folder.path() / "results.db",
                "DROP VIEW step_times; DROP VIEW trials; CREATE VIEW trials AS SELECT 1 AS old");
  const Statements statements;

  const Store store = Store::open_read_only(folder.path());

  CHECK(store.query("SELECT DISTINCT state FROM trials").rows ==
        std::vector<std::vector<Field>>{{std::string("planned")}});
  CHECK(Statements::opened() == 1);  // no copy in memory
}

TEST_CASE("a view that somebody added shows what the newest views show", "[store]") {
  const TemporaryFolder folder;
  {
    Store store = Store::open(folder.path());
    plan_small_study(store);
  }
  make_database(folder.path() / "results.db",
                "DROP VIEW trials; CREATE VIEW trials AS SELECT 'old' AS state; "
                "CREATE VIEW mine AS SELECT DISTINCT state FROM trials");

  const Store store = Store::open_read_only(folder.path());

  CHECK(store.query("SELECT state FROM mine").rows ==
        std::vector<std::vector<Field>>{{std::string("planned")}});
}

TEST_CASE("the view of trials finds one without a look at the series of all", "[store]") {
  const TemporaryFolder folder;
  Store::open(folder.path());
  SQLite::Database database((folder.path() / "results.db").string(), SQLite::OPEN_READWRITE);
  SQLite::Statement plan(database, "EXPLAIN QUERY PLAN SELECT * FROM trials WHERE trial = 1");
  while (plan.executeStep()) {
    CHECK_THAT(plan.getColumn(3).getString(),
               !Catch::StartsWith("SCAN") && !Catch::StartsWith("MATERIALIZE"));
  }
}

TEST_CASE("rows are checked again once a plan is stored", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = make_record(planned.trials[0], {1.0});
  record.trial.wall_s = -1.0;

  CHECK_THROWS_WITH(store.finish_trial(record, false), Catch::Contains("CHECK constraint failed"));
}

TEST_CASE("a results folder that cannot be one is refused", "[store]") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  std::filesystem::create_directories(folder.path() / "taken" / "results.db");

  CHECK_THROWS_WITH(Store::open(folder.path() / "file"), Catch::Contains("a file has this name"));
  CHECK_THROWS_WITH(Store::open(folder.path() / "file" / "sub"), Catch::Contains("--results"));
  CHECK_THROWS_WITH(Store::open(folder.path() / "taken"), Catch::Contains("no regular file"));
}

TEST_CASE("a folder without write permission is refused for writing", "[store]") {
  const TemporaryFolder folder;
  Store::open(folder.path() / "full");
  std::filesystem::create_directories(folder.path() / "empty");
  make_read_only(folder.path() / "empty");
  make_read_only(folder.path() / "full");
  const Unprivileged nobody;

  CHECK_THROWS_WITH(Store::open(folder.path() / "empty"), Catch::Contains("you may write"));
  CHECK_THROWS_WITH(Store::open(folder.path() / "full"), Catch::Contains("scalestudy import"));
}

TEST_CASE("a store in a read-only folder can be read", "[store]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "odd?name#100%";
  {
    Store store = Store::open(path);
    plan_small_study(store);
  }
  make_readable(path / "results.db");
  make_read_only(path);
  const Unprivileged nobody;

  const Store store = Store::open_read_only(path);

  CHECK(store.studies().size() == 1);
}

TEST_CASE("a new store is its user's alone, and one made readable stays so", "[store]") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const fs::path results = folder.path() / "new" / "results";
  Store::open(results);

  CHECK(fs::status(folder.path() / "new").permissions() == fs::perms::owner_all);
  CHECK(fs::status(results).permissions() == fs::perms::owner_all);
  CHECK(fs::status(results / "results.db").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  make_readable(results / "results.db");
  Store::open(results);
  CHECK((fs::status(results / "results.db").permissions() & fs::perms::others_read) !=
        fs::perms::none);
}

TEST_CASE("a store that does not exist cannot be read and is not made", "[store]") {
  const TemporaryFolder folder;

  CHECK_THROWS_WITH(Store::open_read_only(folder.path()), Catch::Contains("no such file"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "results.db"));
}

TEST_CASE("a reader sees whole transactions while a writer works", "[store]") {
  const TemporaryFolder folder;
  Store writer = Store::open(folder.path());
  const Planned planned = plan_small_study(writer);
  const Store reader = Store::open_read_only(folder.path());

  const auto before = reader.trials(planned.study_id)[0].state;
  writer.finish_trial(make_record(planned.trials[0], {1.0}), false);
  const auto after = reader.trials(planned.study_id)[0].state;

  CHECK(before == TrialState::kPlanned);
  CHECK(after == TrialState::kOk);
  CHECK(reader.series(planned.trials[0].id).size() == 1);
}

TEST_CASE("a store opened for reading cannot be written by any of its functions", "[store]") {
  const TemporaryFolder folder;
  std::int64_t study_id = 0;
  {
    Store store = Store::open(folder.path());
    study_id = plan_small_study(store).study_id;
  }
  Store store = Store::open_read_only(folder.path());

  const auto refused = Catch::Contains("attempt to write a readonly database");
  CHECK_THROWS_WITH(store.put_study(make_study("new")), refused);
  CHECK_THROWS_WITH(store.extend_plan(study_id, {TrialRow()}), refused);
  CHECK_THROWS_WITH(store.replace_results(study_id, {}), refused);
  CHECK(store.studies().size() == 1);
}

TEST_CASE("network file systems are known by their magic numbers", "[store]") {
  CHECK(is_network_filesystem(0x6969));              // NFS
  CHECK(is_network_filesystem(0xff534d42));          // CIFS
  CHECK(is_network_filesystem(0xffffffffff534d42));  // the same where f_type is signed
  CHECK_FALSE(is_network_filesystem(0xef53));        // ext4
  CHECK_FALSE(is_network_filesystem(0x01021994));    // tmpfs
  CHECK_FALSE(is_network_filesystem(0x58465342));    // XFS
  CHECK_FALSE(is_on_network_filesystem("/proc"));
}

TEST_CASE("a store whose file was taken away is not written to any more", "[store]") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path() / "results");
  const Planned planned = plan_small_study(store);

  std::filesystem::rename(folder.path() / "results", folder.path() / "elsewhere");

  CHECK_THROWS_WITH(store.mark_running(planned.trials[0].id, planned.session_id, "now"),
                    Catch::Contains("removed or moved"));
  CHECK_THROWS_WITH(store.finish_trial(make_record(planned.trials[0], {1.0}), false),
                    Catch::Contains("removed or moved"));
}

TEST_CASE("a store that a full disk keeps from being read says what to do", "[store]") {
  const TemporaryFolder folder;
  { const Store store = Store::open(folder.path()); }
  const NoFileGrows full_disk;

  CHECK_THROWS_WITH(Store::open_read_only(folder.path()).studies(),
                    Catch::Contains("the disk is full or failed, or the network file system did"));
}
