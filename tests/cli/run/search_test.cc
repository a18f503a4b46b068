// A search from the file to the report, with a program whose times are known.
#include <regex>
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

namespace scalestudy::test {
namespace {

using Catch::Matchers::Contains;

// Settings x, y: x=1 takes five sixths of the time, y=1 0.3 % less, x=2 fails; trials vary by 1 %
// by their number alone. Where the file `kill` names its trial it kills the harness, whose id is in
// `pid`.
constexpr const char* kProgram = R"sh(#!/bin/sh
x=$1 y=$2 folder=$3
if [ "$(cat "$folder/kill" 2>/dev/null)" = "$SCALESTUDY_TRIAL" ]; then
  rm "$folder/kill"; kill -9 "$(cat "$folder/pid")"; sleep 30
fi
[ "$x" = 2 ] && { echo "x=2 is no setting here" >&2; exit 3; }
LC_ALL=C awk -v x="$x" -v y="$y" -v seed="$SCALESTUDY_TRIAL" 'BEGIN {
  srand(seed); print "step_time", (x == 1 ? 0.010 : 0.012) * (1 - 0.003 * y) * (1 + 0.01 * (rand() - 0.5)) }'
)sh";

std::string study_of(const std::string& folder) {
  return "version: 1\n"
         "study: knobs\n"
         "title: Which knobs?\n"
         "workload: command\n"
         "command: [sh, " +
         folder + "/program.sh, \"{x}\", \"{y}\", " + folder +
         "]\n"
         "extract: [{metric: step_time_s, unit: s, regex: 'step_time (.*)'}]\n"
         "axes: {x: [0, 1, 2], y: [0, 1]}\n"
         "steps: {warmup: 0, measured: 1}\n"
         "search: {over: [x, y], budget: 1h}\n"
         "limits: {timeout: 20s, silence: 20s, retries: 0}\n"
         "validity: {calibration: none, foreign_load: 100%}\n"
         "analysis: {margin: 5%}\n";
}

class Searched {
 public:
  Searched() {
    const std::string folder = workspace.file("");
    write_file(workspace.file("program.sh"), kProgram);
    write_file(workspace.study(), study_of(folder.substr(0, folder.size() - 1)));
  }

  ProgramResult run(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"run", workspace.study()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace.run(arguments);
  }

  // Killed by its trial of that number.
  ProgramResult run_killed(int trial) const {
    write_file(workspace.file("kill"), std::to_string(trial));
    std::vector<std::string> argv = workspace.argv({"run", workspace.study()});
    argv.insert(argv.begin(),
                {"/bin/sh", "-c", "echo $$ >'" + workspace.file("pid") + "'; exec \"$@\"", "sh"});
    return run_program(argv, {}, {});
  }

  std::string query(const std::string& sql) const {
    return workspace.run({"query", sql, "--format", "csv"}).out;
  }

  // Everything that was measured, and in which part of the search.
  std::string trials() const {
    return query(
        "SELECT cell, block, part, state, step_time_s_mean FROM trials ORDER BY block, cell");
  }

  std::string report() const {
    REQUIRE(workspace.run({"report", "knobs"}).exit_code == 0);
    return read_pages(workspace.results() + "/reports/knobs/report.md");
  }

  Workspace workspace;
};

TEST_CASE("a search finds the setting, and publishes fresh blocks alone", "[cli]") {
  const Searched search;

  const ProgramResult run = search.run();
  INFO(run.err);
  CHECK(run.exit_code == 3);  // x=2 fails

  // A block of all; two of those that did not fail; then winner, candidate and default alone.
  CHECK(search
            .query("SELECT part, count(*) AS n, count(DISTINCT block) AS blocks FROM trials "
                   "WHERE state = 'ok' GROUP BY part = 'race'")
            .find("race,12,3") != std::string::npos);
  CHECK(search.query("SELECT DISTINCT block FROM trials WHERE cell IN "
                     "(SELECT cell FROM search WHERE role = 'failed')") == "block\n0\n");
  // The race's trials used devices, and nothing else rests on them.
  CHECK(search.query("SELECT DISTINCT result_quantity AS of_race FROM evidence "
                     "JOIN trials USING (trial) WHERE part = 'race'") ==
        "of_race\ndevice_hours_used\n");
  CHECK(search.query("SELECT label, n, verdict, gain BETWEEN 1.18 AND 1.22 AS is_known FROM search "
                     "WHERE is_recommended") == "label,n,verdict,is_known\nx=1 y=0,5,faster,1\n");

  const std::string report = search.report();
  CHECK(report.find("\n|") <= 1000);  // the first screen
  CHECK_THAT(report,
             Contains("- **Use:** x=1, y=0: 1.") && Contains("## Search") &&
                 Contains("x=2, y=1: a trial ended failed: exit code 3") &&
                 Contains("6 settings of x, y: 12 ok trials in the race and 15 on fresh blocks"));
  CHECK_THAT(read_file(search.workspace.results() + "/reports/knobs/data/search.csv"),
             Contains("winner") && Contains("default"));

  // A second run has nothing to do, and finds the same.
  const std::string before = search.trials();
  search.run();
  CHECK(search.trials() == before);
}

TEST_CASE("a search killed in its race and on fresh blocks goes on as one that was not", "[cli]") {
  const Searched whole;
  const Searched parts;
  whole.run();

  CHECK(parts.run_killed(9).exit_code == 128 + 9);   // the race's second block
  CHECK(parts.run_killed(20).exit_code == 128 + 9);  // the first fresh ones
  parts.run();

  CHECK(parts.trials() == whole.trials());
  CHECK(parts.query("SELECT count(*) AS sessions FROM session") == "sessions\n3\n");
  CHECK(parts.query("SELECT label, role, is_recommended FROM search ORDER BY label") ==
        whole.query("SELECT label, role, is_recommended FROM search ORDER BY label"));
}

TEST_CASE("failures of a race that are retried stay its own", "[cli]") {
  const Searched search;
  search.run();

  CHECK(search.run({"--retry-failed"}).exit_code == 3);

  CHECK(search.query("SELECT count(*) AS n FROM trials WHERE attempt = 2 AND state = 'failed' AND "
                     "part = 'race'") == "n\n2\n");
  CHECK(search.query("SELECT count(*) AS n FROM search WHERE role = 'failed'") == "n\n2\n");
}

TEST_CASE("a study that has trials does not become a search", "[cli]") {
  const Searched search;
  const std::string text = read_file(search.workspace.study());
  const std::string declared = "search: {over: [x, y], budget: 1h}";
  std::string plain = text;
  plain.replace(plain.find(declared), declared.size(), "trials: {count: 2}");
  write_file(search.workspace.study(), plain);
  search.run();
  write_file(search.workspace.study(), text);

  const ProgramResult run = search.run({"--accept-changes"});

  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Contains("has trials from before it was a search"));
}

TEST_CASE("a search that is cut short between its blocks is interim, and goes on", "[cli]") {
  const Searched search;

  search.run({"--max-trials", "8"});
  CHECK(search.query("SELECT count(*) AS n FROM search WHERE is_recommended") == "n\n0\n");
  CHECK_THAT(search.report(), Contains("The race is not over: 4 settings are in it"));

  search.run();
  CHECK(search.query("SELECT count(*) AS n FROM search WHERE is_recommended") == "n\n1\n");
}

TEST_CASE("compare and history read the fresh blocks of a search alone", "[cli]") {
  const Searched search;
  search.run();

  // Of the race each had three trials more, and x=0, y=1 those alone.
  const std::string compared =
      search.workspace.run({"compare", "knobs", "@1", "--format", "csv"}).out;
  for (const std::string setting : {"x=0 y=0", "x=1 y=0", "x=1 y=1"}) {
    CHECK_THAT(compared, Contains("," + setting + ",1,1,1,5,5,"));
  }
  CHECK_THAT(compared, !Contains("x=0 y=1"));
  CHECK_THAT(search.workspace.run({"history", "knobs"}).out,
             Contains("Fewer than 10 sessions") && !Contains("x=0, y=1"));

  const Searched racing;
  racing.run({"--max-trials", "8"});
  CHECK(racing.workspace.run({"history", "knobs"}).out == "No cell has trials that count.\n");
}

TEST_CASE("a search survives export, import and a change of a trial by hand", "[cli]") {
  const Searched search;
  search.run();
  const std::string found = "SELECT label, role, is_recommended, gain, gain_lo FROM search";
  const std::string before = search.query(found);

  const std::string folder = search.workspace.file("exported");
  REQUIRE(search.workspace.run({"export", "knobs", folder}).exit_code == 0);
  const Workspace other;
  REQUIRE(other.run({"import", folder}).exit_code == 0);
  CHECK(other.run({"query", found, "--format", "csv"}).out == before);

  // A trial of the race that is taken out later moves nobody from one part to the other.
  const std::string raced = search.query(
      "SELECT trial AS t FROM trials WHERE label = 'x=0 y=0' AND block = 0 AND part = 'race'");
  REQUIRE(search.workspace.run({"exclude", raced.substr(2, raced.size() - 3), "noisy"}).exit_code ==
          0);
  search.report();
  CHECK(search.query("SELECT label, role FROM search WHERE role IN ('winner', 'candidate')") ==
        other
            .run({"query",
                  "SELECT label, role FROM search WHERE role IN ('winner', 'candidate')",
                  "--format",
                  "csv"})
            .out);
  CHECK(search.query("SELECT n, n_excluded, n_planned FROM results "
                     "WHERE label = 'x=0 y=0' AND variant = 'all'") ==
        "n,n_excluded,n_planned\n5,0,5\n");
}

TEST_CASE("trials of a race that are excluded by hand are named, also of a setting that left",
          "[cli]") {
  const Searched search;
  search.run();
  const auto exclude = [&](const std::string& label) {
    const std::string found = search.query(
        "SELECT trial AS t FROM trials WHERE block = 1 AND part = 'race' AND label = '" + label +
        "'");
    const std::string trial = found.substr(2, found.size() - 3);
    REQUIRE(search.workspace.run({"exclude", trial, "noisy"}).exit_code == 0);
    return trial;
  };
  const std::string winner = exclude("x=1 y=1");
  const std::string loser = exclude("x=0 y=1");  // no fresh block has it

  search.report();

  CHECK(search.query("SELECT finding FROM threats WHERE kind = 'excluded_trials'") ==
        "finding\n\"2 trials are excluded by hand, after the results were known or could be: "
        "trial " +
            loser + " (x=0, y=1): noisy; trial " + winner +
            " (x=1, y=1): noisy. No interval allows for that choice.\"\n");
}

TEST_CASE("plan says what a search takes, and jobs cannot share one", "[cli]") {
  const Searched search;

  const ProgramResult plan = search.workspace.run({"plan", search.workspace.study()});
  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.err, Contains("a search among 6 settings") && Contains("trials of 1 h 00 min"));
  CHECK_THAT(search.run({"--blocks", "1"}).err, Contains("stops by what its trials say"));
  CHECK_THAT(search.workspace.run({"plan", search.workspace.study(), "--budget", "8h"}).err,
             Contains("--set search.budget=8h"));
  CHECK_THAT(search.run({"--against", "A=b"}).err,
             Contains("sides cannot be combined with search"));

  search.run({"--max-trials", "6"});  // a block of all, of which the two of x=2 fail
  const auto planned = [&](const std::string& budget) {
    return search.workspace
        .run({"plan", search.workspace.study(), "--set", "search.budget=" + budget})
        .err;
  };
  const std::string known = " trials, estimated from earlier ones of 4 of 6 settings";
  CHECK_THAT(planned("1h"), Contains(known + "."));
  CHECK_THAT(planned("5ms"),
             Contains(known + ", too few for a race: a block of all settings takes about "));
}

}  // namespace
}  // namespace scalestudy::test
