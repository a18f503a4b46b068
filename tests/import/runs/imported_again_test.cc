// Logs that were imported before: known again, changed, or read once more by other rules.
#include <algorithm>
#include <cstdint>
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

namespace {

// Each row of a table is a run of one step.
const std::string kRowStudy =
    "version: 1\nstudy: logs\nworkload: command\ncommand: [train]\n"
    "axes: {devices: [1, 2], lr: [0.1, 0.02]}\nsteps: {warmup: 0, measured: 1}\n";

}  // namespace

TEST_CASE("a log that was imported before adds nothing, under whatever name", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.import(kByName);
  std::filesystem::rename(logs.path("2-0.1-1.log"), logs.path("2-0.1-2.log"));

  const ReadRuns again = logs.import(kByName);

  CHECK(again.runs.at(0).effect == RunEffect::kKnown);
  CHECK(again.runs.at(0).known_as == logs.path("2-0.1-1.log"));
  CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{1}}});
}

TEST_CASE("two copies of a log count once", "[import]") {
  for (const bool is_imported : {false, true}) {
    Logs logs;
    if (is_imported) {
      logs.write("b/2-0.1-1.log", log_of(50.0));
      logs.import({.from = "*/{devices}-{lr}-{run}.log"});
    }
    logs.write("a/2-0.1-1.log", log_of(50.0));
    logs.write("b/2-0.1-1.log", log_of(50.0));

    const ReadRuns runs = logs.import({.from = "*/{devices}-{lr}-{run}.log"});

    CHECK(runs.runs.at(is_imported ? 0 : 1).effect == RunEffect::kKnown);
    CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{1}}});
  }
}

TEST_CASE("runs of different names count each, though their logs are equal", "[import]") {
  Logs logs;
  for (const char* name : {"2-0.1-1.log", "2-0.1-2.log", "2-0.1-3.log", "1-0.1-1.log"}) {
    logs.write(name, log_of(50.0));
  }

  const ReadRuns runs = logs.import(kByName);
  const ReadRuns again = logs.import(kByName);

  CHECK(runs.runs.at(0).twin.empty());
  CHECK(runs.runs.at(3).twin == logs.path("1-0.1-1.log"));
  CHECK(std::ranges::all_of(again.runs, [](const ReadRun& run) {
    return run.effect == RunEffect::kKnown && run.known_as == run.found.source;
  }));
  CHECK(logs.query("SELECT devices, count(*), count(DISTINCT trials.plan), "
                   "count(DISTINCT source_hash) FROM trials JOIN trial ON trial.id = trials.trial "
                   "GROUP BY 1") ==
        Rows{{std::int64_t{1}, std::int64_t{1}, std::int64_t{1}, std::int64_t{1}},
             {std::int64_t{2}, std::int64_t{3}, std::int64_t{3}, std::int64_t{3}}});

  logs.write("2-0.1-1.log", log_of(52.0));  // the equal ones stay
  CHECK(logs.import(kByName).runs.at(1).effect == RunEffect::kChanged);
  CHECK(logs.query("SELECT round(step_time_s_mean, 6) FROM trials WHERE NOT superseded AND "
                   "devices = 2 ORDER BY 1") == Rows{{0.05}, {0.05}, {0.052}});
}

TEST_CASE("a block or an order tells equal logs apart, in further imports too", "[import]") {
  Logs logs;
  for (const char* name : {"2-0.1-1.log", "2-0.1-2.log"}) {
    logs.write(name, log_of(50.0));
    logs.import({.from = "{devices}-{lr}-{block}.log", .order = "block"});
    std::filesystem::remove(logs.path(name));
  }

  CHECK(logs.query("SELECT block FROM trials ORDER BY 1") ==
        Rows{{std::int64_t{1}}, {std::int64_t{2}}});
}

TEST_CASE("equal rows of a table are as many runs, in one cell and in two", "[import]") {
  Logs logs(kRowStudy);
  const RunsRequest request{
      .from = "*.csv", .column_map = {"gpus=devices", "lr=lr", "run=run", "ms=step_time_s:ms"}};
  logs.write("a.csv", "gpus,lr,run,ms\n1,0.1,1,80\n1,0.1,2,80\n1,0.1,3,90\n2,0.1,1,80\n");

  logs.import(request);
  const ReadRuns again = logs.import(request);

  CHECK(std::ranges::all_of(again.runs,
                            [](const ReadRun& run) { return run.effect == RunEffect::kKnown; }));
  CHECK(logs.query("SELECT devices, count(*), round(avg(step_time_s_mean), 6) FROM trials GROUP BY "
                   "1") == Rows{{std::int64_t{1}, std::int64_t{3}, 0.083333},
                                {std::int64_t{2}, std::int64_t{1}, 0.08}});

  // Another file: a further run with an equal time counts, the copy of one that is known does not.
  std::filesystem::remove(logs.path("a.csv"));
  logs.write("b.csv", "gpus,lr,run,ms\n1,0.1,2,80\n1,0.1,4,80\n");
  CHECK(logs.import(request).runs.at(0).effect == RunEffect::kKnown);
  CHECK(logs.query("SELECT count(*) FROM trials WHERE devices = 1") == Rows{{std::int64_t{4}}});

  // A row that was corrected replaces the one before, though another row has its value now.
  logs.write("b.csv", "gpus,lr,run,ms\n1,0.1,2,80\n1,0.1,4,81\n1,0.1,5,80\n");
  CHECK(logs.import(request).runs.at(1).effect == RunEffect::kChanged);
  CHECK(logs.query("SELECT round(1000 * step_time_s_mean, 3) FROM trials WHERE devices = 1 AND NOT "
                   "superseded ORDER BY 1") == Rows{{80.0}, {80.0}, {80.0}, {81.0}, {90.0}});
}

TEST_CASE("parts of one file are runs, though their texts are equal", "[import]") {
  Logs logs;
  const std::string part = "== 2\n" + log_of(50.0);
  logs.write("0.1.log", part + part);
  const RunsRequest request{.from = "{lr}.log", .separator = R"(^== (?<devices>\d+))"};

  logs.import(request);
  logs.import(request);

  CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{2}}});

  logs.write("0.1.log", "== 2\n" + log_of(60.0) + part + part);  // the others move down
  logs.import(request);
  CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{3}}});
}

TEST_CASE("equal logs count each while those imported before are still there", "[import]") {
  Logs logs;
  for (const char* name : {"a/1-0.1-1.log", "b/1-0.1-2.log", "b/2-0.1-1.log", "c/1-0.1-1.log"}) {
    logs.write(name, log_of(50.0));
  }
  logs.import({.from = "a/{devices}-{lr}-{run}.log"});

  const ReadRuns others = logs.import({.from = "b/{devices}-{lr}-{run}.log"});
  const ReadRuns copy = logs.import({.from = "c/{devices}-{lr}-{run}.log"});

  CHECK(others.runs.at(0).effect == RunEffect::kNew);
  CHECK(others.runs.at(1).effect == RunEffect::kNew);
  CHECK(copy.runs.at(0).effect == RunEffect::kKnown);
  CHECK(copy.runs.at(0).known_as == logs.path("a/1-0.1-1.log"));
  CHECK(logs.query("SELECT devices, count(*) FROM trials GROUP BY 1 ORDER BY 1") ==
        Rows{{std::int64_t{1}, std::int64_t{2}}, {std::int64_t{2}, std::int64_t{1}}});
}

TEST_CASE("an equal part of another file counts while the file imported before is still there",
          "[import]") {
  Logs logs;
  const std::string separator = R"(^== (?<devices>\d+))";
  logs.write("a/0.1.log", "== 2\n" + log_of(50.0));
  logs.import({.from = "a/{lr}.log", .separator = separator});
  logs.write("b/0.1-1.log", "== 2\n" + log_of(50.0));

  CHECK(logs.import({.from = "b/{lr}-{run}.log", .separator = separator}).runs.at(0).effect ==
        RunEffect::kNew);
}

TEST_CASE("tables of several cells are imported one by one, though a row is equal", "[import]") {
  for (const bool is_kept : {true, false}) {
    Logs logs(kRowStudy);
    const std::vector<std::string> columns{"lr=lr", "run=run", "t=step_time_s:s"};
    logs.write("a/1.csv", "lr,run,t\n0.1,1,1.5\n");
    logs.import({.from = "a/{devices}.csv", .column_map = columns});
    if (!is_kept) {
      std::filesystem::remove(logs.path("a/1.csv"));
    }
    logs.write("b/2.csv", "lr,run,t\n0.1,1,1.5\n");

    CHECK(logs.import({.from = "b/{devices}.csv", .column_map = columns}).runs.at(0).effect ==
          RunEffect::kNew);
  }
}

TEST_CASE("a table is a copy only if all runs that it shares are equal, however it is imported",
          "[import]") {
  for (const bool is_together : {true, false}) {
    Logs logs(kRowStudy);
    const std::vector<std::string> columns{"gpus=devices", "lr=lr", "run=run", "t=step_time_s:s"};
    const std::string header = "gpus,lr,run,t\n";
    const std::string first = "1,0.1,1,1.5\n1,0.1,2,1.6\n1,0.1,3,1.4\n1,0.1,4,1.5\n";
    logs.write("n1.csv", header + first);
    logs.write("n2.csv", header + "1,0.1,1,1.5\n1,0.1,2,1.5\n1,0.1,3,1.4\n1,0.1,4,1.7\n");
    logs.write("n3.csv", header + first + "1,0.1,5,1.6\n");  // the first one, continued
    logs.write("n4.csv", header + "1,0.1,1,1.5\n1,0.1,2,1.7\n");
    const std::vector<std::string> names =
        is_together ? std::vector<std::string>{"*.csv"}
                    : std::vector<std::string>{"n1.csv", "n2.csv", "n3.csv", "n4.csv"};

    for (const std::string& name : names) {
      logs.import({.from = name, .column_map = columns});
    }
    const ReadRuns again = logs.import({.from = "*.csv", .column_map = columns});

    CAPTURE(is_together);
    CHECK(std::ranges::all_of(again.runs,
                              [](const ReadRun& run) { return run.effect == RunEffect::kKnown; }));
    CHECK(logs.query("SELECT count(*), round(avg(step_time_s_mean), 6), count(DISTINCT "
                     "source_hash) FROM trials JOIN trial ON trial.id = trials.trial") ==
          Rows{{std::int64_t{11}, 1.536364, std::int64_t{11}}});
  }
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

TEST_CASE("a trial that is excluded by hand stays so if its log has changed since", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.write("2-0.1-2.log", log_of(51.0));
  logs.import(kByName);
  const auto say = [&](AnnotationKind kind) {
    logs.store().annotate({.trial_id = 1, .at = "now", .kind = kind, .text = "a backup"});
  };
  say(AnnotationKind::kExclude);
  logs.write("2-0.1-1.log", log_of(60.0));

  const ReadRuns again = logs.import(kByName);
  logs.import(kByName);

  const std::string counted =
      "SELECT attempt, round(step_time_s_mean, 6) FROM trials WHERE state = 'ok' AND NOT "
      "superseded ORDER BY 2";
  CHECK(logs.query(counted) == Rows{{std::int64_t{1}, 0.051}});
  CHECK(again.runs.at(0).effect == RunEffect::kKnown);
  CHECK(again.runs.at(0).excluded_trial == 1);
  CHECK_FALSE(again.runs.at(1).excluded_trial.has_value());
  CHECK(again.notes ==
        std::vector{logs.path("2-0.1-1.log") +
                    ": its text has changed, but trial 1 is excluded by hand and "
                    "stays as it was. To count the new text, run `scalestudy --results " +
                    logs.path("results") + " exclude 1 --undo REASON`, then import again"});

  say(AnnotationKind::kInclude);
  CHECK(logs.import(kByName).runs.at(0).effect == RunEffect::kChanged);
  CHECK(logs.query(counted) == Rows{{std::int64_t{1}, 0.051}, {std::int64_t{2}, 0.06}});
}

TEST_CASE("logs that change to one text stay as many runs", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.write("2-0.1-2.log", log_of(51.0));
  logs.import(kByName);
  logs.write("2-0.1-1.log", log_of(52.0));
  logs.write("2-0.1-2.log", log_of(52.0));

  logs.import(kByName);

  CHECK(logs.query("SELECT count(*), count(DISTINCT source_hash) FROM trials JOIN trial ON "
                   "trial.id = trials.trial WHERE NOT trials.superseded") ==
        Rows{{std::int64_t{2}, std::int64_t{2}}});
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

TEST_CASE("a log that has the text of another now replaces its own", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.write("2-0.1-2.log", log_of(51.0));
  logs.import(kByName);
  logs.write("2-0.1-1.log", log_of(51.0));

  const ReadRuns again = logs.import(kByName);

  CHECK(again.runs.at(0).effect == RunEffect::kChanged);
  CHECK(again.runs.at(1).effect == RunEffect::kKnown);
  CHECK(logs.query("SELECT round(step_time_s_mean, 6) FROM trials WHERE NOT superseded") ==
        Rows{{0.051}, {0.051}});
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

  CHECK_THAT(logs.problem_of(kByName),
             Contains("\nRead these again first: scalestudy --results " + logs.path("results") +
                      " extract logs.yaml"));
}

TEST_CASE("logs never mix with trials that were run", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  const Matrix matrix = expand(logs.study());
  plan_study(logs.study(), matrix, {}, "plan", logs.store());

  CHECK_THAT(logs.problem_of(kByName),
             Contains("has trials that scalestudy ran or planned") && Contains("study: logs-logs"));
}
