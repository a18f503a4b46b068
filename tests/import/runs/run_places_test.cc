// Logs that are imported from several folders into one store.
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "harness/import/runs/import_runs.h"
#include "tests/import/runs/logs.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::log_of;
using test::Logs;
using test::Rows;
namespace fs = std::filesystem;

namespace {

// The current folder while it lives.
class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& path) : before_(fs::current_path()) {
    fs::current_path(path);
  }
  ~CurrentFolder() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  fs::path before_;
};

// Imports one log by a command that is typed in `folder`; the results folder is in "a".
ReadRun import_in(Logs& logs, const std::string& folder, const std::string& from) {
  const CurrentFolder current(logs.path(folder));
  const Matrix matrix = expand(logs.study());
  const RunsRequest request{.from = from + "/{devices}-{lr}-{run}.log", .home = logs.path("a")};
  const ReadRuns runs = read_runs(logs.study(), matrix, request, &logs.store());
  store_runs(logs.study(), matrix, runs, /*keeps_logs=*/true, logs.store());
  return runs.runs.at(0);
}

}  // namespace

TEST_CASE("a log is the same in whatever folder its import is typed", "[import]") {
  Logs logs;
  logs.write("a/logs/2-0.1-1.log", log_of(50.0));
  fs::create_directory(logs.path("b"));
  fs::create_directory_symlink(logs.path("a"), logs.path("link"));

  CHECK(import_in(logs, "a", "logs").effect == RunEffect::kNew);
  const ReadRun again = import_in(logs, "b", "../a/logs");
  CHECK(again.effect == RunEffect::kKnown);
  CHECK(again.known_as == "../a/logs/2-0.1-1.log");
  logs.write("a/logs/2-0.1-1.log", log_of(60.0));
  CHECK(import_in(logs, "b", "../a/logs").effect == RunEffect::kChanged);
  logs.write("a/logs/2-0.1-1.log", log_of(70.0));
  CHECK(import_in(logs, "a", logs.path("link/logs")).effect == RunEffect::kChanged);

  CHECK(logs.query("SELECT attempt, round(step_time_s_mean, 6) FROM trials ORDER BY 1") ==
        Rows{{std::int64_t{1}, 0.05}, {std::int64_t{2}, 0.06}, {std::int64_t{3}, 0.07}});
  CHECK(logs.query("SELECT source FROM trials WHERE attempt = 1") == Rows{{"logs/2-0.1-1.log"}});
}

TEST_CASE("a log of the same relative name in another folder is another log", "[import]") {
  Logs logs;
  logs.write("a/logs/2-0.1-1.log", log_of(50.0));
  logs.write("b/logs/2-0.1-1.log", log_of(52.0));
  logs.write("c/logs/2-0.1-2.log", log_of(50.0));  // equal, and the first one is still there

  CHECK(import_in(logs, "a", "logs").effect == RunEffect::kNew);
  CHECK(import_in(logs, "b", "logs").effect == RunEffect::kNew);
  CHECK(import_in(logs, "c", "logs").effect == RunEffect::kNew);

  const std::string b = fs::canonical(logs.path("b")).string();
  const std::string c = fs::canonical(logs.path("c")).string();
  CHECK(logs.query("SELECT source FROM trials ORDER BY source = 'logs/2-0.1-1.log' DESC, 1") ==
        Rows{{"logs/2-0.1-1.log"}, {b + "/logs/2-0.1-1.log"}, {c + "/logs/2-0.1-2.log"}});
}
