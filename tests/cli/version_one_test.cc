// Stores that version 1 wrote are still reported, queried and gone on with. The fixture was made on
// 2026-11-22 by the tool at revision d1f4738 (schema 3) and is never made anew.
#include <map>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using Catch::Contains;
using namespace scalestudy;
using test::ProgramResult;

namespace {

// A copy of the fixture: study files, results.db and logs.
class StoredStudies {
 public:
  StoredStudies() {
    std::filesystem::copy(SCALESTUDY_SOURCE_DIR "/tests/fixtures/version-1",
                          folder_.path(),
                          std::filesystem::copy_options::recursive);
  }

  std::string study(const std::string& name) const { return folder_.file(name + ".yaml"); }

  std::string report(const std::string& name) const {
    return test::read_pages(folder_.path() / "results/reports" / name / "report.md");
  }

  ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {SCALESTUDY_TEST_BIN "/scalestudy", "--results", folder_.file("results")});
    return test::run_program(arguments);
  }

  std::string query(const std::string& sql) const {
    const ProgramResult result = run({"query", sql, "--format", "csv"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return result.out.substr(result.out.find('\n') + 1);
  }

 private:
  test::TemporaryFolder folder_;
};

// What `sqlite3` 3.40 printed of the fixture for this statement when it was made.
constexpr const char* kSamplesSql =
    "SELECT study, count(*), sum(is_warmup), printf('%.12g', sum(value)) FROM samples WHERE metric "
    "!= 'loss' AND trial IN (SELECT trial FROM trials WHERE session <= 4) GROUP BY study";
constexpr const char* kSamples =
    "v1-collective,384,66,348319107021\n"
    "v1-command,108,18,29.889\n"
    "v1-train,8800,1760,13.512713442\n";

}  // namespace

TEST_CASE("a store of version 1 keeps every sample as it was written", "[cli]") {
  const StoredStudies stored;

  CHECK(stored.query(kSamplesSql) == kSamples);
  // Verdicts have the words of today; as written, two were "no detectable difference".
  CHECK(stored.query("SELECT verdict, count(*) FROM comparison GROUP BY 1 ORDER BY 1") ==
        "no significant difference,2\nnot enough data,2\nslower,6\n");
}

TEST_CASE("a store of version 1 reports each of its studies", "[cli]") {
  const StoredStudies stored;
  const std::map<std::string, std::string> titles = {
      {"v1-train", "Does a second device pay for the 258k MLP?"},
      {"v1-collective", "How long does an all-reduce of two ranks take?"},
      {"v1-command", "Does level 9 cost more than level 1?"}};

  for (const auto& [name, title] : titles) {
    const ProgramResult result = stored.run({"report", name});

    INFO(name << ": " << result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(stored.report(name), Contains(title));
  }
  // What no study file says, and stores of that version do not keep.
  CHECK_THAT(stored.report("v1-train"),
             Contains("| by default | backend cpu, threads 1, precision fp32, optimizer sgd, "
                      "learning rate 0.01, momentum 0.9, loss cross_entropy, data synthetic, seed "
                      "1, accumulation steps 1, strategy ddp, comm mpi, first bucket 1 MiB |"));
  CHECK_THAT(stored.report("v1-command"), !Contains("by default"));

  // By hand: the printed times are 12, 13, 14, 15, 16 ms and 92, 93, 94, 95, 96 ms.
  CHECK(
      stored.query("SELECT step_time_s FROM results WHERE study = 'v1-command' AND variant = 'all' "
                   "AND step_time_s IS NOT NULL ORDER BY 1") == "0.014\n0.094\n");
  CHECK(
      stored.query("SELECT count(*) FROM results WHERE study = 'v1-train' AND variant = 'all' AND "
                   "throughput > 0") == "8\n");
}

TEST_CASE("results of a store of version 1 have the words of today", "[cli]") {
  const StoredStudies stored;

  // 212 estimates of all trials, 204 without flagged ones, one threshold of two tested values.
  CHECK(stored.query("SELECT variant, count(*) FROM estimate GROUP BY variant") ==
        "all,212\nunflagged,204\n");
  CHECK(stored.query("SELECT tested_values FROM threshold") == "2\n");
}

TEST_CASE("results of a store of version 1 name their trials once they are made anew", "[cli]") {
  const StoredStudies stored;
  const std::string count =
      "SELECT count(*) > 0, count(*) = sum(trials.state = 'ok') FROM evidence JOIN trials USING "
      "(study, trial) WHERE study = 'v1-train'";
  CHECK(stored.query("SELECT count(*) FROM comparison") != "0\n");
  CHECK(stored.query("SELECT count(*) FROM evidence") == "0\n");

  const ProgramResult result = stored.run({"report", "v1-train"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(stored.query(count) == "1,1\n");
}

// The step times of a rank add up to its wall time, so that the longest sum is the window.
TEST_CASE("steps of two ranks in a store of version 1 take what their ranks took", "[cli]") {
  const StoredStudies stored;
  const ProgramResult result = stored.run({"report", "v1-train"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);

  // Trials whose step is the longest mean over the steps of a rank, and whose mean over the slowest
  // ranks' steps is more; no trial is otherwise.
  CHECK(
      stored.query(
          "WITH own AS (SELECT trial, rank, avg(value) AS mean FROM samples WHERE metric = "
          "'step_time_s' AND NOT is_warmup AND study = 'v1-train' GROUP BY trial, rank) "
          "SELECT count(*) > 0, sum(abs(step_time_s_mean - (SELECT max(mean) FROM own WHERE "
          "own.trial = trials.trial AND rank IS NOT NULL)) > 1e-12), sum(definition = 'window') "
          "= count(*), max((SELECT mean FROM own WHERE own.trial = trials.trial AND rank IS NULL) "
          "/ step_time_s_mean) > 1.0 FROM trials WHERE study = 'v1-train' AND state = 'ok'") ==
      "1,0,1,1\n");
  CHECK(stored.query("SELECT DISTINCT study, definition, analysis_version FROM results WHERE "
                     "study = 'v1-train'") == "v1-train,window,24\n");
  CHECK_THAT(stored.report("v1-train"),
             Contains("the time of the measured window, divided by its steps"));
}

TEST_CASE("run goes on with a command study of version 1", "[cli]") {
  const StoredStudies stored;

  const ProgramResult result = stored.run({"run", stored.study("command")});

  INFO(result.err);
  CHECK(result.exit_code == 3);  // level 5 fails, as it did
  CHECK(stored.query("SELECT state, count FROM accounting WHERE study = 'v1-command' ORDER BY 1") ==
        "failed,4\nok,8\n");
  CHECK(stored.query(kSamplesSql) == kSamples);
}

TEST_CASE("a store of version 1 keeps how its sessions ended, and takes the words of today",
          "[cli]") {
  const StoredStudies stored;

  stored.run({"run", stored.study("command"), "--max-trials", "1"});

  CHECK(stored.query("SELECT session, ending FROM sessions ORDER BY 1") ==
        "1,interrupted\n2,interrupted\n3,interrupted\n4,interrupted\n5,max_trials\n");
}

TEST_CASE("run goes on with studies of the built-in workloads of version 1", "[cli][mpi]") {
  const StoredStudies stored;

  for (const std::string name : {"train", "collective"}) {
    const ProgramResult result = stored.run({"run", stored.study(name)});

    INFO(result.err);
    CHECK(result.exit_code == 0);
  }

  CHECK(stored.query("SELECT study, state, count FROM accounting WHERE study != 'v1-command'") ==
        "v1-train,ok,48\nv1-collective,ok,9\n");
  CHECK(stored.query(kSamplesSql) == kSamples);
}
