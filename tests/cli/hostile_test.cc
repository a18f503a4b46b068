// Black box: nothing a trial writes, and no file it leaves, ends the harness or makes a study
// unreportable.
#include <cctype>
#include <filesystem>
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::Workspace;

namespace {

// A study "demo" of two cells, two trials each, whose trials run `script` with the cell's value as
// $0; it prints t=SECONDS for 1 + 5 steps.
std::string hostile_study(const std::string& script, const std::string& axis = "size: [1, 2]") {
  const std::string name = axis.substr(0, axis.find(':'));
  return "version: 1\nstudy: demo\ntitle: Hostile\nworkload: command\n"
         "command: [sh, -c, '" +
         script + "', \"{" + name + "}\"]\naxes: {" + axis +
         "}\nsteps: {warmup: 1, measured: 5}\nvalidity: {calibration: none, foreign_load: "
         "100%}\ntrials: {count: 2}\n"
         "limits: {timeout: 20s, silence: 20s, retries: 0}\n"
         "extract: [{metric: step_time_s, unit: s, regex: \"t=(.*)\"}]\n";
}

const std::string kSixSteps = "for i in 1 2 3 4 5 6; do echo t=0.$i; done";

bool has_negative_number(const std::string& text) {
  for (std::size_t at = text.find(" -"); at != std::string::npos; at = text.find(" -", at + 1)) {
    const std::string behind = text.substr(at + 2, 3);
    if (behind == "nan" || behind == "inf" ||
        (!behind.empty() && std::isdigit(static_cast<unsigned char>(behind.front())) != 0)) {
      return true;
    }
  }
  return false;
}

void check_reportable(const Workspace& workspace) {
  const ProgramResult report = workspace.run({"report", "demo"});
  INFO(report.err);
  CHECK(report.exit_code == 0);
}

}  // namespace

TEST_CASE("times of any finite size can be run and reported", "[cli]") {
  for (const char* times :
       {"1e-300 1e10", "1e-308 1e300", "4e-324 1.7e308", "1e-200 1e200", "1e-12 1e12"}) {
    INFO(times);
    const Workspace workspace(
        hostile_study(std::string("set -- ") + times +
                      "; [ $0 = 2 ] && shift; for i in 1 2 3 4 5 6; do echo t=$1; done"));

    const ProgramResult run = workspace.run({"run", workspace.study()});

    INFO(run.err);
    CHECK((run.exit_code == 0 || run.exit_code == 3));
    CHECK_FALSE(has_negative_number(run.err));  // no time below zero
    check_reportable(workspace);
  }
}

TEST_CASE("message sizes that are words are reported as the words they are", "[cli]") {
  const Workspace workspace(hostile_study(kSixSteps, "message_bytes: [small, big]"));

  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  check_reportable(workspace);
  CHECK_THAT(scalestudy::test::read_pages(workspace.results() + "/reports/demo/report.md"),
             Contains("message_bytes=small"));
}

TEST_CASE("a function without end in a query ends the program soon after its time", "[cli][slow]") {
  const Workspace workspace(hostile_study(kSixSteps));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const ProgramResult query =
      workspace.run({"query",
                     "SELECT instr(hex(zeroblob(100000000)), hex(zeroblob(50000000)) || '1')",
                     "--timeout",
                     "1"});

  CHECK(query.exit_code == 2);
  CHECK_THAT(query.err, Contains("one call of a function") && Contains("what is stored stays"));
}

TEST_CASE("a query without end gives up after its time", "[cli]") {
  const Workspace workspace(hostile_study(kSixSteps));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  const ProgramResult query = workspace.run(
      {"query",
       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
       "--timeout",
       "1"});

  CHECK(query.exit_code == 2);
  CHECK_THAT(query.err, Contains("longer than 1 s") && Contains("--timeout"));
}

TEST_CASE("a wall clock that jumps at every reading moves no deadline and no duration",
          "[cli][slow]") {
  std::string text = hostile_study("[ $0 = 2 ] && sleep 30; " + kSixSteps);
  text.replace(text.find("timeout: 20s"), 12, "timeout: 1s");
  const Workspace workspace(text);
  const std::vector<std::string> wild = {"LD_PRELOAD=" SCALESTUDY_WILD_CLOCK};

  const ProgramResult run = workspace.run({"run", workspace.study()}, wild);

  INFO(run.err);
  CHECK(run.exit_code == 3);
  CHECK_FALSE(has_negative_number(run.err));  // no time below zero
  CHECK(
      query_csv(
          workspace,
          "SELECT state, count(*) AS n, max(wall_s) < 15 AND min(wall_s) > iif(state = 'ok', 0, 1) "
          "AS fits, count(DISTINCT started_at) AS times FROM trials GROUP BY state") ==
      "state,n,fits,times\nok,2,1,2\ntimeout,2,1,2\n");
  CHECK(workspace.run({"run", workspace.study(), "--retry-failed"}, wild).exit_code == 3);
  CHECK(query_csv(workspace, "SELECT sum(state = 'ok') AS ok, count(*) AS n FROM trials") ==
        "ok,n\n2,6\n");
  CHECK(workspace.run({"report", "demo"}, wild).exit_code == 0);
  CHECK(workspace.run({"report", "demo", "--check"}, wild).exit_code == 0);
}

TEST_CASE("a pipe in place of a log holds up nothing", "[cli]") {
  const Workspace workspace(
      hostile_study("cd $(dirname $SCALESTUDY_OUTPUT); rm -f stdout stderr; "
                    "mkfifo stdout; mkfifo stderr; exit 0"));

  CHECK(workspace.run({"run", workspace.study()}).exit_code == 3);

  CHECK_THAT(query_csv(workspace, "SELECT DISTINCT reason FROM trials"),
             Contains("stdout is not a regular file any more"));
  check_reportable(workspace);
}

TEST_CASE("what runs beside trials fills no disk, and no pipe in its place holds it up", "[cli]") {
  namespace fs = std::filesystem;
  const Workspace workspace(
      hostile_study("mkfifo $(dirname $SCALESTUDY_OUTPUT)/cleanup.stdout; " + kSixSteps) +
      "setup: [sh, -c, 'head -c 40000000 /dev/zero']\ncleanup: [echo, done]\n"
      "versions: {much: [sh, -c, 'head -c 40000000 /dev/zero']}\n");

  CHECK(workspace.run({"run", workspace.study()}).exit_code == 0);

  int kept = 0;
  for (const auto& entry : fs::recursive_directory_iterator(workspace.results() + "/logs")) {
    const std::string name = entry.path().filename().string();
    if (name == "setup.stdout" || name == "version.much.stdout") {
      CHECK(entry.file_size() < std::size_t{33} << 20U);
      ++kept;
    }
  }
  CHECK(kept == 5);
}

TEST_CASE("what a trial leaves is its user's alone", "[cli]") {
  namespace fs = std::filesystem;
  const Workspace workspace(hostile_study("umask 0; echo out; echo err >&2; exit 7"));

  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 3);

  const fs::path logs = fs::path(workspace.results()) / "logs";
  CHECK(fs::status(logs).permissions() == fs::perms::owner_all);
  int logs_kept = 0;
  for (const auto& entry : fs::recursive_directory_iterator(logs)) {
    INFO(entry.path());
    logs_kept += entry.path().filename() == "stdout" || entry.path().filename() == "stderr" ? 1 : 0;
    CHECK((entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all)) ==
          fs::perms::none);
  }
  CHECK(logs_kept >= 4);
}

TEST_CASE("nested output and long words leave a reason that fits a table", "[cli]") {
  const Workspace workspace(hostile_study(
      "if [ $0 = 1 ]; then head -c 20000000 /dev/zero | tr \"\\\\0\" x >&2; exit 1; fi; "
      "printf \"t={\"; head -c 400000 /dev/zero | tr \"\\\\0\" [; echo"));

  CHECK(workspace.run({"run", workspace.study()}).exit_code == 3);

  CHECK(query_csv(workspace,
                  "SELECT max(length(reason)) < 1100, sum(state = 'failed') FROM trials") ==
        "max(length(reason)) < 1100,sum(state = 'failed')\n1,4\n");
  check_reportable(workspace);
}

TEST_CASE("no verb and no log shows a declared secret, however it is written", "[cli]") {
  const std::string script = "echo out $TOKEN; echo err $OTHER >&2; " + kSixSteps + "; exit $0";
  std::string text = hostile_study(script, "size: [0, 1]");
  text += "secret: [TOKEN, OTHER]\nzip: [{env.TOKEN: hush-hush-1}, {env.TOKEN: 'hush\"hush-2'}]\n";
  const Workspace workspace(text);
  const std::vector<std::string> environment = {"OTHER=whisper"};
  std::string said;
  const auto say = [&](const std::vector<std::string>& arguments) {
    const ProgramResult result = workspace.run(arguments, environment);
    said += result.out + result.err;
    return result.exit_code;
  };

  REQUIRE(say({"run", workspace.study()}) == 3);
  CHECK(say({"validate", workspace.study()}) == 0);
  for (const char* format : {"table", "json", "csv", "markdown"}) {
    CHECK(say({"plan", workspace.study(), "--order", "--format", format}) == 0);
    CHECK(say({"plan", workspace.study(), "--format", format}) == 0);
    for (const char* table : {"trials", "study", "session", "cell", "cell_parameter", "log"}) {
      CHECK(say({"query", table, "--format", format}) == 0);
    }
  }
  CHECK(say({"run", workspace.study(), "--set", "zip=[{env.TOKEN: hush-hush-3}]"}) == 2);

  CHECK_THAT(said,
             Contains("env.TOKEN=(secret)") && Contains("err (secret)") && !Contains("whisper"));
  CHECK_THAT(said, !Contains("hush-hush") && !Contains("hush\"") && !Contains("hush\\"));
  int logs = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(workspace.results() + "/logs")) {
    const std::string name = entry.path().filename().string();
    if (name == "stdout" || name == "stderr") {
      const std::string content = scalestudy::test::read_file(entry.path());
      CHECK_THAT(content, Contains("(secret)") && !Contains("hush") && !Contains("whisper"));
      ++logs;
    }
  }
  CHECK(logs == 16);
}

TEST_CASE("a secret too short to be told from other text is refused", "[cli]") {
  const std::string text = hostile_study(kSixSteps) + "secret: [TOKEN]\n";
  const Workspace given(text + "parameters: {env.TOKEN: abc}\n");
  const Workspace inherited(text);

  const ProgramResult refused = given.run({"validate", given.study()});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             Contains("demo.yaml:12:10: a value of TOKEN has fewer than 4 characters"));
  CHECK(inherited.run({"run", inherited.study()}, {"TOKEN=abc"}).exit_code == 2);
  CHECK(inherited.run({"run", inherited.study()}, {"TOKEN=abcd"}).exit_code == 0);
}

TEST_CASE("a declared secret reaches neither report nor tables", "[cli]") {
  std::string text = hostile_study(
      "echo failed with $TOKEN and $OTHER >&2; " + kSixSteps + "; exit $0", "size: [0, 1]");
  // A reason has room for 1,000 bytes: not for the second.
  std::string long_token;
  for (int i = 0; i < 300; ++i) {
    long_token += "hush";
  }
  text += "secret: [TOKEN, OTHER]\nzip: [{env.TOKEN: 'hush''hush-1'}, {env.TOKEN: " + long_token +
          "}]\n";
  const Workspace workspace(text);
  const std::vector<std::string> environment = {"OTHER=whisper"};

  const ProgramResult run = workspace.run({"run", workspace.study()}, environment);
  REQUIRE(run.exit_code == 3);
  check_reportable(workspace);

  CHECK_THAT(query_csv(workspace, "SELECT DISTINCT reason FROM trials WHERE state = 'failed'"),
             Contains("failed with (secret) and (secret)") && !Contains("hush"));
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(workspace.results())) {
    if (entry.path().string().find("/reports/") != std::string::npos && entry.is_regular_file()) {
      const std::string content = scalestudy::test::read_file(entry.path());
      INFO(entry.path());
      CHECK(content.find("hush") == std::string::npos);
      CHECK(content.find("whisper") == std::string::npos);
      ++files;
    }
  }
  CHECK(files > 3);
}

TEST_CASE("a study file without an end is refused", "[cli]") {
  const Workspace workspace;

  const ProgramResult result = workspace.run({"validate", "/dev/zero"});

  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("/dev/zero: longer than"));
}
