// Black box: logs of runs that nobody launched here, from files to an answer and a report.
#include <cmath>
#include <filesystem>
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::lines_of;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::query_row;
using scalestudy::test::read_file;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

const std::string kStudy =
    "version: 1\nstudy: demo\ntitle: Do more devices pay?\nworkload: command\n"
    "command: [train, \"{devices}\"]\n"
    "extract: [{metric: step_time_s, unit: ms, regex: 'step \\d+: (\\S+) ms'}]\n"
    "axes: {devices: [1, 2, 4]}\nparameters: {batch_global: 64}\nsteps: {warmup: 1, measured: "
    "rest}\n"
    "analysis: {baseline: {devices: 1}, thresholds: [{metric: speedup, level: 3, along: devices}]}"
    "\n";

// Four logs of each number of devices; the step takes 120 ms over the devices, and run r of 4 takes
// r % longer.
void write_logs(const Workspace& workspace) {
  for (const int devices : {1, 2, 4}) {
    for (const int run : {1, 2, 3, 4}) {
      std::string text = "loading\n";
      for (int step = 1; step <= 11; ++step) {
        const double ms = (step == 1 ? 9.0 : 1.0) * 120.0 / devices * (1.0 + 0.01 * run);
        text += "step " + std::to_string(step) + ": " + std::to_string(ms) + " ms\n";
      }
      write_file(workspace.file(std::to_string(devices) + "-" + std::to_string(run) + ".log"),
                 text);
    }
  }
}

ProgramResult import_logs(const Workspace& workspace, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{
      "import", "runs", workspace.study(), "--from", workspace.file("{devices}-{run}.log")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

}  // namespace

TEST_CASE("logs are imported as trials, and answered", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);

  const ProgramResult imported = import_logs(workspace);

  INFO(imported.err);
  REQUIRE(imported.exit_code == 0);
  CHECK_THAT(imported.err, Contains("demo: 12 new trials"));
  CHECK_THAT(imported.out, Contains("Imported from logs: not run by scalestudy"));
  CHECK(query_row(workspace, "SELECT count(*), min(provenance), count(block) FROM trials") ==
        "12,imported,0\n");
  // 120 over 30, as each device count has the same four runs
  CHECK(std::stod(query_row(workspace, "SELECT speedup FROM speedups WHERE devices = 4")) ==
        Approx(4.0));
  CHECK_THAT(query_row(workspace, "SELECT DISTINCT method FROM comparisons"),
             Contains("log_ratio_delta\n"));
}

TEST_CASE("a report of logs says once at its top that they are imported", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  REQUIRE(import_logs(workspace).exit_code == 0);

  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);

  const std::string folder = workspace.results() + "/reports/demo/";
  const std::string page = read_file(folder + "report.md");
  CHECK_THAT(lines_of(page).at(0), Contains("(imported from logs: not run by scalestudy)"));
  CHECK_THAT(page,
             Contains("trust this: medium") && Contains("machines and sessions not recorded"));
  CHECK_THAT(page, !Contains("starts the program anew"));
  CHECK_THAT(read_file(folder + "details.md"),
             Contains("12 trials were read from logs: scalestudy did not run them") &&
                 !Contains("The study has not been run yet"));
  CHECK_THAT(read_file(folder + "data/trials.csv"), Contains(",imported,"));
  CHECK(workspace.run({"report", "demo", "--check"}).exit_code == 0);
}

TEST_CASE("a check of logs writes nothing", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);

  const ProgramResult checked = import_logs(workspace, {"--check"});

  CHECK(checked.exit_code == 0);
  CHECK_THAT(checked.out,
             Contains("2-3.log") && Contains("devices=2") && Contains("10 steps, mean 61.8 ms"));
  CHECK_THAT(checked.err,
             Contains("nothing was written") && !Contains("Nothing says how much work"));
  CHECK_THAT(import_logs(workspace, {"--check", "--set", "parameters=null"}).err,
             Contains("Nothing says how much work a step of several devices does"));
  CHECK(workspace
            .run({"import",
                  "runs",
                  workspace.study(),
                  "--from",
                  workspace.file("{devices}-{run}.log"),
                  "--check"},
                 {"TMPDIR=/nonexistent"})
            .exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(workspace.results()));
}

TEST_CASE("an import says which logs it passes over, and which have one text", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  std::filesystem::copy_file(workspace.file("1-1.log"), workspace.file("1-5.log"));
  const auto check = [&](const std::string& from) {
    return workspace.run(
        {"import", "runs", workspace.study(), "--from", workspace.file(from), "--check"});
  };

  const ProgramResult equal = check("{devices}-{run}.log");
  CHECK_THAT(equal.err, Contains("demo: 13 new trials; nothing was written"));
  CHECK_THAT(equal.out, Contains("new, with the text of "));

  for (const char* folder : {"a", "b"}) {
    std::filesystem::create_directories(workspace.file(folder));
    std::filesystem::copy_file(workspace.file("1-1.log"),
                               workspace.file(std::string(folder) + "/1-1.log"));
  }
  CHECK_THAT(check("*/{devices}-{run}.log").err,
             Contains("demo: 1 new trial, 1 log passed over: known under another name; nothing"));
}

TEST_CASE("logs are known again by an import that is typed in another folder", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  std::filesystem::create_directory(workspace.file("elsewhere"));
  const auto import_in = [&](const std::string& folder, const std::string& from) {
    std::vector<std::string> words =
        workspace.argv({"import", "runs", workspace.study(), "--from", from});
    words.insert(words.begin(), {"env", "-C", workspace.file(folder)});
    return scalestudy::test::run_program(words);
  };

  REQUIRE(import_in(".", "{devices}-{run}.log").exit_code == 0);
  const ProgramResult again = import_in("elsewhere", "../{devices}-{run}.log");

  CHECK_THAT(again.err, Contains("demo: 0 new trials, 12 logs already imported\n"));
  CHECK(query_row(workspace, "SELECT min(source), count(*) FROM trials") == "1-1.log,12\n");
}

TEST_CASE("a run of an imported study is refused, and says what to do", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  REQUIRE(import_logs(workspace).exit_code == 0);

  const ProgramResult refused = workspace.run({"run", workspace.study()});

  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("--set study=demo-run"));
  CHECK(query_row(workspace, "SELECT count(*) FROM trials") == "12\n");
  CHECK_THAT(workspace.run({"plan", workspace.study()}).err,
             Contains("12 trials of this study are imported from logs"));
  CHECK_THAT(workspace.run({"list"}).out, Contains("imported"));
  CHECK_THAT(workspace.run({"status"}).out, Contains("imported from logs, not run by scalestudy"));
}

TEST_CASE("an import of logs that failed says so and exits 3", "[cli]") {
  const Workspace workspace(kStudy);
  write_file(workspace.file("1-1.log"), "Killed\n");

  const ProgramResult checked = import_logs(workspace, {"--check"});
  CHECK(checked.exit_code == 3);
  CHECK_THAT(checked.err,
             Contains("demo: 1 new trial, 1 failed or invalid; nothing was written\n"));
  const ProgramResult imported = import_logs(workspace);

  CHECK(imported.exit_code == 3);
  CHECK_THAT(imported.out, Contains("failed: "));
  CHECK_THAT(imported.err, Contains("1 failed or invalid"));
  CHECK_THAT(imported.err, Contains("next: correct the extract rules, then `scalestudy"));
}

TEST_CASE("an import leaves the changed log of an excluded trial alone, and says so", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  REQUIRE(import_logs(workspace).exit_code == 0);
  REQUIRE(workspace.run({"exclude", "1", "a backup ran beside it"}).exit_code == 0);
  const std::string name = workspace.file("1-1.log");
  write_file(name, read_file(name) + "step 12: 121.2 ms\n");

  const ProgramResult checked = import_logs(workspace, {"--check"});
  const ProgramResult again = import_logs(workspace);

  const std::string told =
      "demo: 0 new trials, 11 logs already imported, 1 changed log left alone: excluded by hand";
  CHECK_THAT(checked.err, Contains(told + "; nothing was written\n"));
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.out, Contains("changed, but left alone"));
  CHECK_THAT(again.err, Contains(told + "\n"));
  CHECK(query_row(workspace, "SELECT count(*) FROM trials WHERE state = 'ok'") == "11\n");
}

TEST_CASE("a report of logs says how many cells have none, and to import these", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  for (const int run : {1, 2, 3, 4}) {
    std::filesystem::remove(workspace.file("4-" + std::to_string(run) + ".log"));
  }
  REQUIRE(import_logs(workspace).exit_code == 0);

  const ProgramResult lint = workspace.run({"report", "demo", "--lint"});

  CHECK(lint.exit_code == 4);
  CHECK_THAT(lint.out,
             Contains("for 1 device (4) and 1 more: import the logs of more runs; for 4 devices "
                      "(0): import the missing logs\n"));
  CHECK_THAT(read_file(workspace.results() + "/reports/demo/report.md"),
             Contains("(partly done, 8 of 8 trials ok, 0 to 4 per cell, 1 of 3 cells without a "
                      "log, machines and sessions not recorded)"));
}

TEST_CASE("logs that the corrected rules read again are all that their cell rests on", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  REQUIRE(import_logs(workspace, {"--set", "extract.0.regex=wrong (\\S+)"}).exit_code == 3);

  const ProgramResult read = workspace.run({"extract", workspace.study(), "--yes"});

  INFO(read.err);
  REQUIRE(read.exit_code == 0);
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK(query_row(workspace,
                  "SELECT count(*) FROM threats WHERE kind LIKE '%failed%' OR kind = "
                  "'retried_failures'") == "0\n");
}

TEST_CASE("an import warns of what logs show, in its check, its answer and the report", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  const std::string name = workspace.file("2-3.log");
  write_file(name, read_file(name) + "torch.OutOfMemoryError: CUDA out of memory.\n");
  const std::string told = "The output of 1 of 12 ok trials (2 devices) reports an error";

  const ProgramResult checked = import_logs(workspace, {"--check"});
  CHECK_THAT(checked.err, Contains(told) && Contains("\"Error lines\""));
  CHECK_FALSE(std::filesystem::exists(workspace.results()));
  CHECK_THAT(import_logs(workspace).out, Contains("error lines"));
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK_THAT(read_file(workspace.results() + "/reports/demo/details.md"), Contains(told));
}

TEST_CASE("an import tells what the rules noted of new logs", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  const std::string name = workspace.file("2-3.log");
  const std::string text = read_file(name);
  write_file(name, text.substr(0, text.find("step 4:")) + text.substr(text.find("step 7:")));
  const std::string rule = R"(extract.0.regex='step (?<step>\d+): (\S+) ms')";
  const std::string told = "3 step times are missing";

  CHECK_THAT(import_logs(workspace, {"--check", "--set", rule}).err, Contains(told));
  CHECK_THAT(import_logs(workspace, {"--set", rule}).err, Contains(told) && Contains("(1 trial)"));
  CHECK_THAT(import_logs(workspace, {"--set", rule}).err, !Contains(told));  // known by now
}

TEST_CASE("exported logs are imported trials in another store", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  REQUIRE(import_logs(workspace).exit_code == 0);
  REQUIRE(workspace.run({"export", "demo", workspace.file("out")}).exit_code == 0);
  const Workspace other;

  REQUIRE(other.run({"import", workspace.file("out")}).exit_code == 0);

  const std::string sql =
      "SELECT cell, provenance, source, block, step_time_s_mean FROM trials "
      "ORDER BY cell, source";
  CHECK(query_csv(other, sql) == query_csv(workspace, sql));
}

TEST_CASE("options of logs and of figures are told apart", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);

  CHECK_THAT(import_logs(workspace, {"--study", "demo"}).err, Contains("not for runs"));
  CHECK_THAT(workspace.run({"import", "runs", workspace.study()}).err, Contains("--from"));
  CHECK_THAT(workspace.run({"import", workspace.file("1-1.log"), "--order", "run"}).err,
             Contains("are for logs"));
}

TEST_CASE("a report of logs claims no order but the declared one", "[cli]") {
  const auto order_of = [](const std::string& from, const std::vector<std::string>& more) {
    const Workspace workspace(kStudy);
    write_logs(workspace);
    std::vector<std::string> arguments{
        "import", "runs", workspace.study(), "--from", workspace.file(from)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(workspace.run(arguments).exit_code == 0);
    REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
    const std::string page = read_file(workspace.results() + "/reports/demo/details.md");
    const std::size_t begin = page.find("**Order:** ");
    return page.substr(begin, page.find('\n', begin) - begin);
  };
  CHECK(order_of("{devices}-{run}.log", {}) == "**Order:** not known.");
  CHECK(order_of("{devices}-{run}.log", {"--order", "run"}) ==
        "**Order:** as declared when the logs were imported, without blocks.");
  CHECK(order_of("{devices}-{block}.log", {}) ==
        "**Order:** as declared when the logs were imported, in blocks; not known within a block.");
  CHECK(order_of("{devices}-{block}.log", {"--order", "block"}) ==
        "**Order:** as declared when the logs were imported, in blocks.");
}

TEST_CASE("an import tells which trials the study no longer has cells for", "[cli]") {
  const Workspace workspace(kStudy);
  write_logs(workspace);
  REQUIRE(import_logs(workspace).exit_code == 0);
  const auto import_ones = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"import",
                                       "runs",
                                       workspace.study(),
                                       "--from",
                                       workspace.file("1-{run}.log"),
                                       "--set",
                                       "axes.devices=[1]",
                                       "--set",
                                       "analysis=null"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace.run(arguments);
  };
  const std::string told =
      "8 trials imported earlier no longer count, because the study no longer has devices=2; "
      "devices=4. To keep them, put those cells back.";

  CHECK_THAT(import_ones({"--check"}).err, Contains(told));
  CHECK_THAT(import_ones({}).err, Contains(told));
  CHECK_THAT(import_ones({}).err, !Contains("no longer count"));
}
