// Logs that were imported before: known again, changed, or read once more by other rules.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/import/runs/import_runs.h"
#include "harness/run/outcome/reextract.h"
#include "harness/store/trial_plan.h"
#include "harness/study/parse.h"
#include "tests/import/runs/logs.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;
using test::kByName;
using test::kStudy;
using test::log_of;
using test::Logs;
using test::Rows;

TEST_CASE("a log that was imported before adds nothing, under whatever name", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.import(kByName);
  logs.write("2-0.1-2.log", log_of(50.0));

  const ReadRuns again = logs.import(kByName);

  CHECK(again.runs.at(0).effect == RunEffect::kKnown);
  CHECK(again.runs.at(1).effect == RunEffect::kKnown);
  CHECK(again.runs.at(1).known_as == logs.path("2-0.1-1.log"));
  CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{1}}});
}

TEST_CASE("two copies of a log count once", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.write("2-0.1-2.log", log_of(50.0));

  const ReadRuns runs = logs.import(kByName);

  CHECK(runs.runs.at(1).effect == RunEffect::kKnown);
  CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{1}}});
}

TEST_CASE("the same file by another spelling of its path is the same log", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", "Killed\n");
  logs.import(kByName);

  logs.import({.from = "./" + kByName.from});

  CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{1}}});
}

TEST_CASE("two runs that failed alike are two trials", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", "Killed\n");
  logs.write("2-0.1-2.log", "Killed\n");

  logs.import(kByName);
  logs.import(kByName);

  CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{2}}});
}

TEST_CASE("an order cannot be declared of logs that were imported without one", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.import(kByName);

  CHECK_THAT(logs.problem_of({.from = kByName.from, .order = "run"}),
             Contains("was imported with another block or order; remove study logs first"));
  logs.write("2-0.1-1.log", log_of(60.0));  // nor of one that changed
  CHECK_THAT(logs.problem_of({.from = "{devices}-{lr}-{block}.log"}),
             Contains("was imported with another block or order"));
}

TEST_CASE("a log that has changed is a further attempt of its trial", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.import(kByName);
  logs.write("2-0.1-1.log", log_of(60.0));

  const ReadRuns again = logs.import(kByName);

  CHECK(again.runs.at(0).effect == RunEffect::kChanged);
  CHECK(logs.query("SELECT attempt, superseded, round(step_time_s_mean, 6) FROM trials "
                   "ORDER BY attempt") ==
        Rows{{std::int64_t{1}, std::int64_t{1}, 0.05}, {std::int64_t{2}, std::int64_t{0}, 0.06}});
}

TEST_CASE("logs that rotate keep every run, and count none twice", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.write("2-0.1-2.log", log_of(51.0));
  logs.import(kByName);
  logs.write("2-0.1-1.log", log_of(52.0));
  logs.write("2-0.1-2.log", log_of(50.0));
  logs.write("2-0.1-3.log", log_of(51.0));

  logs.import(kByName);
  const ReadRuns again = logs.import(kByName);

  CHECK(std::ranges::all_of(again.runs,
                            [](const ReadRun& run) { return run.effect == RunEffect::kKnown; }));
  CHECK(logs.query("SELECT round(step_time_s_mean, 6) FROM trials WHERE NOT superseded "
                   "ORDER BY 1") == Rows{{0.05}, {0.051}, {0.052}});

  std::filesystem::remove(logs.path("2-0.1-2.log"));  // 50 ms, which was the first of that name
  logs.write("2-0.1-1.log", log_of(53.0));
  logs.import(kByName);
  CHECK(logs.query("SELECT round(step_time_s_mean, 6) FROM trials WHERE NOT superseded "
                   "ORDER BY 1") == Rows{{0.05}, {0.051}, {0.053}});
}

TEST_CASE("a run that failed and was repeated replaces its failure alone", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", "Killed\n");
  logs.write("2-0.1-2.log", "Killed\n");
  logs.import(kByName);
  logs.write("2-0.1-1.log", log_of(50.0));

  CHECK(logs.import(kByName).runs.at(0).effect == RunEffect::kChanged);
  CHECK(logs.query("SELECT state, count(*) FROM trials WHERE NOT superseded GROUP BY state") ==
        Rows{{"failed", std::int64_t{1}}, {"ok", std::int64_t{1}}});
}

TEST_CASE("a log that became the copy of another counts once", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.write("2-0.1-2.log", log_of(51.0));
  logs.import(kByName);
  logs.write("2-0.1-1.log", log_of(51.0));

  const ReadRuns again = logs.import(kByName);

  CHECK(again.runs.at(0).effect == RunEffect::kKnown);
  CHECK(again.runs.at(0).known_as == logs.path("2-0.1-2.log"));
  CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{2}}});
}

TEST_CASE("a log that comes back after its name had another text is a trial", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.import(kByName);
  logs.write("2-0.1-1.log", log_of(60.0));
  logs.import(kByName);
  logs.write("2-0.1-2.log", log_of(50.0));

  CHECK(logs.import(kByName).runs.at(1).effect == RunEffect::kNew);
  CHECK(logs.query("SELECT round(step_time_s_mean, 6) FROM trials WHERE NOT superseded "
                   "ORDER BY 1") == Rows{{0.05}, {0.06}});
}

TEST_CASE("the kept copy of a log is read again by the study as it is now", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.import(kByName);
  std::filesystem::remove(logs.path("2-0.1-1.log"));
  logs.study().steps.warmup = 2;

  const std::vector<Reread> reread = reread_logs(logs.study(), logs.store());
  accept_readings(logs.study(), reread, logs.store());

  REQUIRE(reread.size() == 1);
  CHECK_THAT(reread[0].what, Contains("mean 0.05 s of 2 -> mean 0.05 s of 1"));
  CHECK(logs.query("SELECT provenance FROM trials WHERE NOT superseded") == Rows{{"imported"}});
}

TEST_CASE("a log that is read again keeps what its text shows, and is failed by fail_if",
          "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0) + "Traceback (most recent call last):\n");
  logs.import(kByName);
  logs.study().steps.warmup = 2;
  accept_readings(logs.study(), reread_logs(logs.study(), logs.store()), logs.store());

  const std::string errors =
      "SELECT attempt, name, value FROM telemetry JOIN trial ON trial.id = trial_id";
  CHECK(logs.query(errors) ==
        Rows{{std::int64_t{1}, "error_lines", 1.0}, {std::int64_t{2}, "error_lines", 1.0}});
  CHECK(logs.query("SELECT trial_id, count(*) FROM log WHERE text LIKE 'output: %' GROUP BY 1") ==
        Rows{{std::int64_t{1}, std::int64_t{1}}, {std::int64_t{2}, std::int64_t{1}}});

  logs.study() = parse_stored_study(kStudy + "fail_if: [Traceback]\n", "logs.yaml");
  CHECK_THAT(logs.problem_of(kByName), Contains("fail_if"));
  accept_readings(logs.study(), reread_logs(logs.study(), logs.store()), logs.store());
  CHECK(logs.query("SELECT state FROM trials WHERE NOT superseded") == Rows{{"failed"}});
  CHECK(logs.import(kByName).runs.at(0).effect == RunEffect::kKnown);
}

TEST_CASE("logs are not imported by other rules than those before", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.import(kByName);
  logs.study().environment["WHERE"] = "there";  // no rule
  CHECK(logs.problem_of(kByName).empty());
  logs.study().extract.at(0).unit = "s";

  CHECK_THAT(logs.problem_of(kByName), Contains("scalestudy extract logs.yaml"));
}

TEST_CASE("logs never mix with trials that were run", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  const Matrix matrix = expand(logs.study());
  plan_study(logs.study(), matrix, {}, "plan", logs.store());

  CHECK_THAT(logs.problem_of(kByName),
             Contains("has trials that scalestudy ran or planned") && Contains("study: logs-logs"));
}
