// Logs as trials: which cell each is of, what is read, and what the store then has.
#include "harness/import/runs/import_runs.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/import/runs/find_runs.h"
#include "harness/store/rows/launch_order.h"
#include "harness/store/trial_plan.h"
#include "harness/study/parse.h"
#include "tests/import/runs/logs.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;
using test::kByName;
using test::kNumbered;
using test::kStudy;
using test::log_of;
using test::Logs;
using test::Rows;
using test::write_file;

TEST_CASE("a log is a trial of the cell that its name says", "[import]") {
  Logs logs;
  logs.write("2-0.1-7.log", log_of(50.0));
  logs.write("1-0.02-7.log", log_of(100.0));

  const ReadRuns runs = logs.import(kByName);

  CHECK(logs.query("SELECT devices, axes ->> 'lr', round(step_time_s_mean, 6), steps, state, "
                   "provenance FROM trials ORDER BY devices") ==
        Rows{{std::int64_t{1}, 0.02, 0.1, std::int64_t{2}, "ok", "imported"},
             {std::int64_t{2}, 0.1, 0.05, std::int64_t{2}, "ok", "imported"}});
  CHECK(runs.empty.size() == 2);  // two of four cells have no log
}

TEST_CASE("what a log does not tell is NULL", "[import]") {
  Logs logs;
  logs.write("2-0.1-7.log", log_of(50.0));

  logs.import(kByName);

  const Field none;
  CHECK(logs.query("SELECT block, position, session, started_at, wall_s, exit_code, signal, "
                   "foreign_load FROM trials") ==
        Rows{{none, none, none, none, none, none, none, none}});
  CHECK(logs.query("SELECT source FROM trials") == Rows{{logs.path("2-0.1-7.log")}});
}

TEST_CASE("a block and an order that are declared are stored", "[import]") {
  Logs logs;
  logs.write("2-0.1-7.log", log_of(50.0));
  logs.write("1-0.1-7.log", log_of(90.0));

  logs.import({.from = "{devices}-{lr}-{block}.log", .order = "block"});

  CHECK(logs.query("SELECT DISTINCT plan, block, position FROM trials") ==
        Rows{{"imported", std::int64_t{7}, std::int64_t{7}}});
}

TEST_CASE("time stamps order launches", "[import]") {
  Logs logs;
  logs.write("2-0.1-2026-11-26T10:00:00Z.log", log_of(50.0));
  logs.write("2-0.1-2026-11-26T09:59:00Z.log", log_of(51.0));

  logs.import({.from = "{devices}-{lr}-{run}.log", .order = "run"});

  CHECK(logs.query("SELECT max(position) - min(position) FROM trials") == Rows{{std::int64_t{60}}});
}

TEST_CASE("time stamps of one second order launches by their fractions", "[import]") {
  Logs logs;
  logs.write("2-0.1-2026-11-26T10:00:00.75Z.log", log_of(50.0));
  logs.write("2-0.1-2026-11-26T10:00:00.5Z.log", log_of(51.0));
  logs.write("2-0.1-2026-11-26T10:00:01Z.log", log_of(52.0));
  const RunsRequest by_run{.from = "{devices}-{lr}-{run}.log", .order = "run"};

  logs.import(by_run);

  CHECK(logs.query("SELECT round(step_time_s_mean, 6) FROM trials ORDER BY position") ==
        Rows{{0.051}, {0.05}, {0.052}});
  logs.write("2-0.1-2026-11-26T10:00:00.5sZ.log", log_of(53.0));
  CHECK_THAT(logs.problem_of(by_run), Contains("neither a number nor a time stamp"));
}

TEST_CASE("numbers with a fraction order launches, also those of further imports", "[import]") {
  Logs logs;
  const RunsRequest by_run{.from = kByName.from, .order = "run"};
  logs.write("2-0.1-0.1.log", log_of(50.0));
  logs.write("2-0.1-0.9.log", log_of(51.0));
  logs.write("2-0.1-1.9.log", log_of(52.0));
  logs.import(by_run);
  logs.write("2-0.1-0.5.log", log_of(53.0));
  logs.write("2-0.1-1.log", log_of(54.0));

  CHECK(logs.import(by_run).runs.size() == 5);

  CHECK(logs.query("SELECT position, round(step_time_s_mean, 6) FROM trials ORDER BY position") ==
        Rows{{0.1, 0.05}, {0.5, 0.053}, {0.9, 0.051}, {std::int64_t{1}, 0.054}, {1.9, 0.052}});
  logs.write("2-0.1-1.0.log", log_of(55.0));
  CHECK_THAT(logs.problem_of(by_run),
             Contains("2-0.1-1.0.log: comes at the same place of the order as ") &&
                 Contains("2-0.1-1.log, in the same cell"));
}

TEST_CASE("positions of any numbers compare as the numbers do", "[import]") {
  CHECK(position_of(3.0) == 3);  // as in stores of before
  CHECK(position_of(2.9999999) == 3);
  CHECK(position_of(1'700'000'000.25) == 6'501'700'000'000'250'000);
  std::pair<std::int64_t, std::int64_t> before = launch_order(*position_of(-2.0));
  for (const double number : {-1.25, -1e-6, 0.0, 1e-6, 0.9, 1.0, 1.5, 1'700'000'000.25, 1e14}) {
    CAPTURE(number);
    const auto order = launch_order(*position_of(number));
    CHECK(before < order);
    before = order;
  }
  CHECK_FALSE(position_of(1e15).has_value());
  CHECK_FALSE(position_of(-1e13).has_value());
}

TEST_CASE("a log without a step time is a failed trial with its reason", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", "no GPU found\n");
  logs.write("2-0.1-2.log", "step 1: 9 ms\nstep 2: 0 ms\n");

  logs.import(kByName);

  const Rows rows = logs.query("SELECT state, reason FROM trials ORDER BY source");
  CHECK(rows.at(0).at(0) == Field("failed"));
  CHECK_THAT(std::get<std::string>(rows.at(0).at(1)), Contains("found nothing"));
  CHECK(rows.at(1).at(0) == Field("invalid"));
}

TEST_CASE("what the text of a log shows is kept with its trial, as of a run's output", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", "step 1: 900,100 ms\nstep 2: 50,123 ms\nstep 3: 50,124 ms\n");
  logs.write("2-0.1-2.log",  // of two ranks
             "step 1: 900 ms\nstep 1: 901 ms\nstep 2: 50 ms\nstep 2: 51 ms\n");
  logs.write("2-0.1-3.log", log_of(50.0) + "Traceback (most recent call last):\n");
  logs.write("2-0.1-4.log", log_of(51.0) + std::string((std::size_t{1} << 20U) + 1, 'x') + "\n");

  logs.import(kByName);

  CHECK(logs.query("SELECT substr(source, -5, 1), name, value FROM telemetry JOIN trial ON "
                   "trial.id = trial_id ORDER BY source, name") ==
        Rows{{"1", "commas.step_time_s", 1.0},
             {"2", "repeated_lines", 2.0},
             {"3", "error_lines", 1.0},
             {"4", "unread_output", 1.0}});
  CHECK(logs.query("SELECT text FROM log WHERE text LIKE 'output: %'") ==
        Rows{{"output: reports an error: log line 4: Traceback (most recent call last):"}});
  CHECK(logs.query("SELECT DISTINCT state FROM trials") == Rows{{"ok"}});
}

TEST_CASE("a log in which the number of the step goes back is told as resumed", "[import]") {
  Logs logs(kNumbered);
  logs.write("2-0.1-1.log", log_of(50.0) + "step 2: 900 ms\nstep 3: 52 ms\nstep 4: 51 ms\n");

  logs.import(kByName);

  CHECK(logs.query("SELECT name, value FROM telemetry") == Rows{{"resumptions", 1.0}});
}

TEST_CASE("fail_if fails the trial of a log", "[import]") {
  Logs logs(kStudy + "fail_if: [Traceback]\n");
  logs.write("2-0.1-1.log", log_of(50.0) + "Traceback (most recent call last):\n");
  logs.write("2-0.1-2.log", log_of(50.0));
  logs.write("2-0.1-3.log", log_of(51.0) + std::string((std::size_t{1} << 20U) + 1, 'x') + "\n");

  const ReadRuns runs = logs.import(kByName);

  CHECK(runs.runs.at(0).record.trial.state == TrialState::kFailed);
  CHECK(logs.query("SELECT state, reason FROM trials WHERE state <> 'ok'") ==
        Rows{{"failed",
              "fail_if: log line 4 matches \"Traceback\": Traceback (most recent call last):"}});
  CHECK(logs.query("SELECT text FROM log WHERE text LIKE 'fail_if: %'") ==
        Rows{{"fail_if: not searched: the log has lines of more than 1 MiB: 1 from line 4 on"}});
}

TEST_CASE("a log in UTF-16 is told to be that", "[import]") {
  Logs logs;
  std::string wide = "\xff\xfe";
  for (const char c : log_of(50.0)) {
    wide += {c, '\0'};
  }
  logs.write("2-0.1-1.log", wide);

  for (const ExtractSource from : {ExtractSource::kOutput, ExtractSource::kStderr}) {
    logs.study().extract.at(0).from = from;
    CHECK_THAT(logs.read(kByName).runs.at(0).record.trial.reason,
               Contains("found nothing in the log; the log is UTF-16, which rules do not read"));
  }
  CHECK_THAT(logs.problem_of({.from = "2-0.1-1.log", .separator = "^step 1"}),
             Contains("2-0.1-1.log: it is UTF-16"));
}

TEST_CASE("one log cannot be of two cells", "[import]") {
  Logs logs;
  logs.write("1-0.1-1.log", log_of(50.0));
  logs.import(kByName);
  std::filesystem::rename(logs.path("1-0.1-1.log"), logs.path("2-0.1-1.log"));

  CHECK_THAT(logs.problem_of(kByName),
             Contains("2-0.1-1.log: has the same text as " + logs.path("1-0.1-1.log")));
}

TEST_CASE("values that the study lacks are errors that say what it has", "[import]") {
  Logs logs;
  logs.write("8-0.1-1.log", log_of(50.0));
  logs.write("1-0.3-1.log", log_of(50.0));

  const std::string problem = logs.problem_of(kByName);

  CHECK_THAT(problem, Contains("8-0.1-1.log: devices 8 is not in the study, which has 1, 2"));
  CHECK_THAT(problem, Contains("1-0.3-1.log: lr 0.3 is not in the study, which has 0.1, 0.02"));
  CHECK(logs.query("SELECT count(*) FROM trials") == Rows{{std::int64_t{0}}});
}

TEST_CASE("a number in a name is one value, or the name is refused", "[import]") {
  Logs logs;
  logs.write("gpus16_a-0.1.log", log_of(9.0));
  logs.write("gpus1_a-0.1.log", log_of(100.0));

  CHECK_THAT(logs.problem_of({.from = "gpus{devices}*-{lr}.log"}),
             Contains("gpus16_a-0.1.log: devices 16 is not in the study, which has 1, 2") &&
                 !Contains("gpus1_a"));
  CHECK_THAT(logs.problem_of({.from = "*{devices}_a-{lr}.log"}),
             Contains("gpus16_a-0.1.log: devices 16 is not in the study, which has 1, 2"));

  logs.write("16-0.1.txt", log_of(9.0));
  CHECK_THAT(logs.problem_of({.from = "{devices}{run}-{lr}.txt"}),
             Contains("16-0.1.txt: a number in its name would have to be divided between two "
                      "values; rename it so that another character is between them, such as - or "
                      "_"));

  logs.write("n2.1-0.1.log", log_of(50.0));
  CHECK_THAT(
      logs.problem_of({.from = "n{devices}*-{lr}.log"}),
      Contains("n2.1-0.1.log: devices 2.1 is not in the study, which has 1, 2. If it ends at "
               "the \".\", write {devices}. into the pattern"));
}

TEST_CASE("an axis that nothing gives is an error that names it", "[import]") {
  Logs logs;
  logs.write("2-1.log", log_of(50.0));

  CHECK_THAT(logs.problem_of({.from = "{devices}-{run}.log"}),
             Contains("2-1.log: has no value of lr (0.1, 0.02); give it by {lr} in --from"));
  CHECK_THAT(logs.problem_of({.from = "{device}-{run}.log"}),
             Contains("\"device\" is not an axis of the study. Its axes: devices (1, 2), lr"));
  CHECK_THAT(logs.problem_of({.from = "**/{devices}-{lr}.log"}), Contains("not for folders"));
  CHECK_THAT(logs.problem_of({.from = "log-{devices}-{lr}.txt"}),
             Contains("no file has such a name") && Contains("2-1.log"));
}

TEST_CASE("a number is the value it is, however it is written", "[import]") {
  Logs logs;
  logs.write("02-1e-1-1.log", log_of(50.0));

  logs.import(kByName);

  CHECK(logs.query("SELECT label FROM trials") == Rows{{"devices=2 lr=0.1"}});
}

TEST_CASE("a number in quotes is the text it is", "[import]") {
  std::string text = kStudy;
  text.replace(text.find("lr: [0.1, 0.02]"), 15, "lr: [\"2.1\", \"2.10\"]");
  Logs logs(text);
  logs.write("1-2.1-1.log", log_of(50.0));
  logs.write("1-2.10-1.log", log_of(60.0));

  logs.import(kByName);

  CHECK(logs.query("SELECT label FROM trials ORDER BY 1") ==
        Rows{{"devices=1 lr=2.1"}, {"devices=1 lr=2.10"}});
  logs.write("1-2.100-2.log", log_of(70.0));
  CHECK_THAT(logs.problem_of(kByName), Contains("lr 2.100 is not in the study"));
}

TEST_CASE("a separator divides a file into runs, and gives their values", "[import]") {
  Logs logs;
  logs.write("all.log",
             "hostname\n== devices 1 lr 0.1\n" + log_of(100.0) + "== devices 2 lr 0.1\n" +
                 log_of(50.0) + "== devices 2 lr 0.1\n" + log_of(51.0));

  const ReadRuns runs =
      logs.import({.from = "all.log", .separator = R"(^== devices (?<devices>\d+) lr (?<lr>\S+))"});

  CHECK(logs.query("SELECT devices, round(step_time_s_mean, 6) FROM trials ORDER BY source") ==
        Rows{{std::int64_t{1}, 0.1}, {std::int64_t{2}, 0.05}, {std::int64_t{2}, 0.051}});
  CHECK_THAT(std::get<std::string>(logs.query("SELECT min(source) FROM trials").at(0).at(0)),
             Contains("all.log#1"));
  CHECK(runs.notes ==
        std::vector{logs.path("all.log") + ": 1 line before the first run is left out"});
}

TEST_CASE("a separator sees lines as rules do", "[import]") {
  Logs logs;
  logs.write("all.log",
             "\xef\xbb\xbf\x1b[32m== devices 1 lr 0.1\x1b[0m\r\n" + log_of(100.0) +
                 "saving: 50 %\rsaving: 100 %\r== devices 2 lr 0.1\n" + log_of(50.0));

  logs.import({.from = "all.log", .separator = R"(^== devices (?<devices>\d+) lr (?<lr>\S+)$)"});

  CHECK(
      logs.query("SELECT devices, steps, round(step_time_s_mean, 6) FROM trials ORDER BY source") ==
      Rows{{std::int64_t{1}, std::int64_t{2}, 0.1}, {std::int64_t{2}, std::int64_t{2}, 0.05}});

  logs.write("2-0.1.log", "\r\n" + log_of(51.0));  // one empty line, not two
  CHECK(logs.read({.from = "{devices}-{lr}.log", .separator = "^$"}).runs.size() == 1);
}

TEST_CASE("a separator divides a file of more than 4 GiB", "[import][slow]") {
  // In memory a hole is read in half the time.
  const test::TemporaryFolder folder(std::filesystem::is_directory("/dev/shm")
                                         ? "/dev/shm"
                                         : std::filesystem::temp_directory_path());
  const std::string path = folder.file("all.log");
  constexpr std::int64_t hole = std::int64_t{4} << 30;
  write_file(path, "== devices 1\n");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + hole);  // takes no disk
  std::ofstream(path, std::ios::binary | std::ios::app) << "\n== devices 2\n";
  const Study study = parse_stored_study(kStudy, "logs.yaml");
  const Matrix matrix = expand(study);

  const FoundRuns found = find_runs({.from = path, .separator = R"(^== devices (?<devices>\d+))"},
                                    CellFinder(matrix),
                                    study.steps);

  CHECK(found.problems.empty());
  REQUIRE(found.runs.size() == 2);
  CHECK(found.runs[1].offset == hole + 14);  // after the first line and the hole's end
}

TEST_CASE("what a line and the file's name say differently is an error", "[import]") {
  Logs logs;
  logs.write("1.log", "== devices 2 lr 0.1\n" + log_of(50.0));

  CHECK_THAT(logs.problem_of({.from = "{devices}.log",
                              .separator = R"(^== devices (?<devices>\d+) lr (?<lr>\S+))"}),
             Contains("1.log#1: devices is 2 in its first line, and 1 in the name of its file"));
}

TEST_CASE("a study that was imported is not planned to be run", "[import]") {
  Logs logs;
  logs.write("2-0.1-1.log", log_of(50.0));
  logs.import(kByName);

  CHECK_THROWS_WITH(
      plan_study(logs.study(), expand(logs.study()), {}, "plan", logs.store()),
      Contains("1 trial imported from logs, and") && Contains("--set study=logs-run"));
}
