// Black box: what `compare` and `history` say of sessions, studies and stores.
#include <SQLiteCpp/SQLiteCpp.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using Catch::EndsWith;
using scalestudy::test::over_workers;
using scalestudy::test::ProgramResult;
using scalestudy::test::read_file;
using scalestudy::test::study_text;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

TEST_CASE("ten nights of one program are five and five equal ones", "[cli][slow]") {
  const Workspace workspace;
  run_sessions(workspace, 1, 10);

  const ProgramResult text = workspace.run({"compare", "demo@1-5", "@6-10"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Contains("a: 5 sessions of demo"));
  CHECK_THAT(text.out, Contains("Machine and software are recorded as the same."));
  CHECK_THAT(text.out, !Contains("study differs"));  // more trials of the same
  CHECK_THAT(text.out, Contains("2 devices, batch 1000"));
  CHECK_THAT(text.out, Contains("One side ran before the other"));
  CHECK_THAT(text.out, !Contains("faster") && !Contains("not attributable"));

  CHECK_THAT(text.out, !Contains("by chance"));
  const std::string noise = " gate of 2 % fires by chance in ";
  for (const ProgramResult& told : {workspace.run({"compare", "demo@1-5", "@6-10", "--gate"}),
                                    workspace.run({"plan", workspace.study()})}) {
    CHECK_THAT(told.out + told.err, Contains(noise) && Contains("10 sessions of 1 trial, each"));
  }
  CHECK_THAT(workspace.run({"compare", "demo@1-5", "@6-10", "--gate"}).out,
             EndsWith("\nThat is a limit on the step time of one cell; --gate goes by the verdicts "
                      "above.\n"));
  REQUIRE(workspace.run({"report", "demo"}).exit_code == 0);
  CHECK_THAT(read_file(workspace.results() + "/reports/demo/details.md"), Contains(noise));

  const ProgramResult json = workspace.run({"compare", "demo@1-5", "@6-10", "--format", "json"});
  const nlohmann::json parsed = nlohmann::json::parse(json.out);
  CHECK(parsed["a"]["sessions"].size() == 5);
  REQUIRE(parsed["cells"].size() == 4);
  const nlohmann::json& cell = parsed["cells"][0];
  CHECK(cell["speedup_lo"].get<double>() < cell["speedup"].get<double>());
  CHECK(cell["label"] == "devices=1 batch_global=100");  // as in the views
  CHECK(cell["margin"] == 0.02);
  CHECK(cell["confidence"] == 0.95);

  const std::string other = workspace.file("of@home");
  std::filesystem::copy(workspace.results(), other);
  const ProgramResult there = workspace.run({"compare", other + ":demo@1-5", "@6-10"});
  INFO(there.err);
  CHECK(there.out == text.out);
  CHECK_THAT(workspace.run({"compare", other + ":demo", other + ":demo@os=a@b"}).err,
             Contains("no session of demo has os=a@b; there: "));

  // Fewer are not attributable.
  const ProgramResult few = workspace.run({"compare", "demo@1-4", "@5-10"});
  CHECK(few.exit_code == 5);
  CHECK_THAT(few.out, Contains("between sessions: not attributable"));
  CHECK_THAT(few.out, !Contains("["));  // no interval

  // A fact of sessions selects them.
  {
    CHECK_THAT(workspace.run({"compare", "demo@os=BeOS", "@1-5"}).err,
               Contains("no session of demo has os=BeOS; there: "));
    CHECK_THAT(workspace.run({"compare", "demo@kernle=6", "@1-5"}).err,
               Contains("no session tells 'kernle' (did you mean kernel?)"));
    CHECK_THAT(workspace.run({"compare", "demo@x", "@1-5"}).err,
               Contains("'@x' selects no sessions: allowed are ids"));
    CHECK_THAT(workspace.run({"compare", "demo@", "@1-5"}).err,
               Contains("'@' selects no sessions: allowed are ids (@3, @3-7, @2,5-6)") &&
                   Contains("without an @ all are taken"));
    CHECK(workspace.run({"compare", "demo@1-5", "demo@"}).exit_code == 2);
    CHECK_THAT(workspace.run({"compare", "demo@11", "@1-5"}).err,
               Contains("demo has no session 11; its sessions: 1, 2, 3"));
    CHECK(workspace.run({"compare", "demo@11", "@1-5"}).exit_code == 2);
  }

  // Sessions on both sides are compared with themselves.
  const ProgramResult in_b = workspace.run({"compare", "demo@1-6", "demo", "--gate"});
  CHECK(in_b.exit_code == 2);
  CHECK_THAT(in_b.err,
             Contains("both sides have 6 sessions (1-6), and verdicts take the sides as "
                      "independent. Compare with demo@7-10 as side b"));
  CHECK_THAT(workspace.run({"compare", "demo", "@7"}).err,
             Contains("both sides have 1 session (7)") && Contains("with demo@1-6,8-10 as side a"));
  // A side of another folder is named with it, as it has to be typed.
  const std::string typed = workspace.results() + ":demo";
  CHECK_THAT(workspace.run({"compare", typed, "demo@7"}).err,
             Contains("Compare with " + typed + "@1-6,8-10 as side a"));
  CHECK_THAT(workspace.run({"compare", typed + "@1-6", "demo"}).err,
             Contains("Compare with demo@7-10 as side b"));
  const ProgramResult same = workspace.run({"compare", "demo@1-5", "@1-5"});
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.err, Contains("both sides are the same 5 sessions, so no difference can show"));
  const ProgramResult gated = workspace.run({"compare", "demo@1-5", "@1-5", "--gate"});
  CHECK(gated.exit_code == 2);
  CHECK(gated.out.empty());
  CHECK_THAT(gated.err,
             Contains("--gate: both sides are the same 5 sessions, so no difference can show. Give "
                      "each side its own sessions: compare demo@1-5 @6-10"));

  // A clock that was late once.
  SQLite::Database(workspace.results() + "/results.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE session SET started_at = '2020-01-01T00:00:00Z' WHERE id = 5");
  CHECK_THAT(workspace.run({"compare", "demo@1-5", "@6-10"}).out,
             Contains("a: 5 sessions of demo, 2020-01-01T00:00:00Z to 2"));
}

TEST_CASE("a slower program in another store is found, its difference first", "[cli][slow]") {
  std::string text = over_workers(study_text());
  const Workspace before(text);
  run_sessions(before, 1, 5);
  text.replace(text.find("{batch_global}"), 14, "{batch_global}0");  // ten times the work
  const Workspace after(text);
  run_sessions(after, 1, 5);

  const ProgramResult gate =
      after.run({"compare", before.results() + ":demo", "demo", "--gate", "--format", "markdown"});

  CHECK(gate.exit_code == 4);
  CHECK_THAT(gate.out, Contains("The study differs:\n\n- command[2\\]: "));
  CHECK_THAT(gate.out, Contains("| slower"));
  CHECK(gate.out.find("The study differs") < gate.out.find("slower"));
  CHECK(before.run({"compare", "demo", after.results() + ":demo"}).exit_code == 0);
  CHECK(after.run({"compare", "demo", before.results() + ":demo", "--gate"}).exit_code == 0);
}

TEST_CASE("cells that a later session's study has dropped are still those of their session",
          "[cli]") {
  const auto text = [](const std::string& axis) {
    return "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, 'for i in 1 2 3; do echo "
           "time {" +
           axis +
           "}0.$i; done']\nextract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)'}]\n"
           "axes: {" +
           axis +
           ": [1, 2]}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: none}\n"
           "trials: {count: 1}\n";
  };
  const Workspace workspace(text("size"));
  run_sessions(workspace, 1, 1);
  write_file(workspace.study(), text("width"));
  run_sessions(workspace, 1, 1);

  CHECK_THAT(workspace.run({"compare", "demo@1", "@2"}).out,
             Contains("Only in a: size 1; size 2.\nOnly in b: width 1; width 2.\n"));
  CHECK_THAT(workspace.run({"compare", "demo@1-2", "demo"}).out, !Contains("size 1"));
}

TEST_CASE("compare in Markdown shows names of cells and values literally", "[cli]") {
  const auto text = [](const std::string& mode) {
    return "version: 1\nstudy: demo\nworkload: command\ncommand: [sh, -c, 'for i in 1 2 3; do echo "
           "time 20.$i; done', '{mode}']\n"
           "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)'}]\n"
           "axes: {mode: ['" +
           mode +
           "']}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: none}\n"
           "trials: {count: 1}\n";
  };
  const Workspace workspace(text("a|*b*"));
  run_sessions(workspace, 1, 1);
  write_file(workspace.study(), text("<c>_`d`"));
  run_sessions(workspace, 1, 1);

  const std::string table = workspace.run({"compare", "demo@1", "@2"}).out;
  const std::string markdown =
      workspace.run({"compare", "demo@1", "@2", "--format", "markdown"}).out;

  CHECK_THAT(table, Contains("Only in a: mode a|*b*.\nOnly in b: mode <c>_`d`.\n"));
  CHECK_THAT(markdown,
             Contains("Only in a: mode a\\|\\*b\\*.\nOnly in b: mode \\<c\\>\\_\\`d\\`.\n"));
  CHECK_THAT(table, Contains("\n- axes.mode: [a|*b*] -> [<c>_`d`]\n"));
  CHECK_THAT(markdown, Contains("\n- axes.mode: [a\\|\\*b\\*] -\\> [\\<c\\>\\_\\`d\\`]\n"));
}

TEST_CASE("a cell that no longer runs is undecided for the gate", "[cli]") {
  const Workspace workspace;
  write_file(workspace.study(),
             "version: 1\nstudy: demo\nworkload: command\n"
             "command: [sh, -c, 'test {size} -le $(cat " +
                 workspace.file("most") + ") && for i in 1 2 3; do echo \"time $(cat " +
                 workspace.file("most") +
                 ")0.$SCALESTUDY_TRIAL$i\"; done']\n"
                 "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)', group: 1}]\n"
                 "axes: {size: [1, 2]}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: "
                 "none}\ntrials: {count: 1}\nlimits: {retries: 0}\n");
  write_file(workspace.file("most"), "2");
  run_sessions(workspace, 1, 5);
  write_file(workspace.file("most"), "1");  // twice as fast, and size 2 fails
  run_sessions(workspace, 6, 10, 3);

  const ProgramResult gate = workspace.run({"compare", "demo@1-5", "@6-10", "--gate"});

  CHECK_THAT(
      gate.out,
      Contains("faster") && Contains("Only in a: size 2.\nNo trial that counts in b: size 2."));
  CHECK(gate.exit_code == 5);
  const ProgramResult json =
      workspace.run({"compare", "demo@1-5", "@6-10", "--gate", "--format", "json"});
  const nlohmann::json parsed = nlohmann::json::parse(json.out);
  REQUIRE(parsed["lost"].size() == 1);
  CHECK(parsed["lost"][0]["label"] == "size=2");
  CHECK(parsed["lost"][0]["cell"].get<std::string>() + "\n" ==
        query_row(workspace, "SELECT DISTINCT cell FROM trials WHERE label = 'size=2'"));
  CHECK(parsed["a"]["not_matched"] == parsed["lost"]);
  CHECK(parsed["b"]["not_matched"].empty());
  CHECK(json.exit_code == 5);
  CHECK(workspace.run({"compare", "demo@6-10", "@1-5", "--gate"}).exit_code == 4);
  const ProgramResult more = workspace.run({"compare", "demo@1-5", "@6-11"});
  CHECK_THAT(more.err, Contains("warning: " + workspace.results() + " has no session 11"));
}

TEST_CASE("a cell that fails on both sides is undecided for the gate, in every format", "[cli]") {
  const Workspace workspace;
  write_file(workspace.study(),
             "version: 1\nstudy: demo\nworkload: command\n"
             "command: [sh, -c, 'test {size} -le 1 && for i in 1 2 3; do echo \"time "
             "20.$SCALESTUDY_TRIAL$i\"; done']\n"
             "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)', group: 1}]\n"
             "axes: {size: [1, 2]}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: "
             "none}\ntrials: {count: 1}\nlimits: {retries: 0}\nanalysis: {margin: 20%}\n");
  run_sessions(workspace, 1, 10, 3);
  const auto compare = [&](const std::string& format) {
    return workspace.run({"compare", "demo@1-5", "@6-10", "--gate", "--format", format});
  };
  const std::string lost = "No trial that counts in b: size 2. --gate takes that as undecided.\n";
  const std::string times = "Step times are means of the sessions' means.\n";

  for (const std::string format : {"table", "markdown"}) {
    const ProgramResult result = compare(format);
    CHECK(result.exit_code == 5);
    CHECK_THAT(result.out, Contains("\n" + lost + times));
    CHECK(result.err.empty());
  }
  const ProgramResult json = compare("json");
  CHECK(json.exit_code == 5);
  CHECK(nlohmann::json::parse(json.out)["lost"][0]["label"] == "size=2");
  const ProgramResult csv = compare("csv");
  CHECK(csv.exit_code == 5);
  CHECK(csv.out.starts_with(
      "cell,label,is_same_cell,sessions_a,sessions_b,trials_a,trials_b,step_time_s_a,"
      "step_time_s_b,speedup,speedup_lo,speedup_hi,confidence,p_adjusted,margin,verdict,"
      "status\n"));
  CHECK(csv.err == lost);
}

TEST_CASE("compare says that times do not vary", "[cli]") {
  const Workspace workspace;
  write_file(workspace.study(),
             "version: 1\nstudy: demo\nworkload: command\n"
             "command: [sh, -c, 'for i in 1 2 3; do echo \"time 20\"; done', '{size}']\n"
             "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)', group: 1}]\n"
             "axes: {size: [1]}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: "
             "none}\ntrials: {count: 1}\n");
  run_sessions(workspace, 1, 10);

  const ProgramResult gate = workspace.run({"compare", "demo@1-5", "@6-10", "--gate"});

  CHECK(gate.exit_code == 5);
  CHECK_THAT(gate.out, Contains("not enough data (no spread, so the ratio may be rounding)\n"));
  const ProgramResult json = workspace.run({"compare", "demo@1-5", "@6-10", "--format", "json"});
  const nlohmann::json cell = nlohmann::json::parse(json.out)["cells"][0];
  CHECK(cell["verdict"] == "not enough data");
  CHECK(cell["status"] == "zero_variance");
}

TEST_CASE("a size that the study after leaves out is nothing to the gate", "[cli]") {
  const auto text = [](const std::string& sizes) {
    return "version: 1\nstudy: demo\nworkload: command\n"
           "command: [sh, -c, 'for i in 1 2 3; do echo \"time 2{size}.$SCALESTUDY_TRIAL$i\"; "
           "done']\n"
           "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)', group: 1}]\n"
           "axes: {size: [" +
           sizes +
           "]}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: none}\n"
           "trials: {count: 1}\nanalysis: {margin: 20%}\n";
  };
  const Workspace with(text("1, 2"));
  run_sessions(with, 1, 5);
  const Workspace workspace(text("1"));
  run_sessions(workspace, 1, 5);
  const std::string other = with.results() + ":demo";
  const ProgramResult left_out = workspace.run({"compare", other, "demo", "--gate"});
  write_file(workspace.study(), text("1, 2"));  // and there before it was added
  run_sessions(workspace, 6, 10);
  const ProgramResult added = workspace.run({"compare", "demo@6-10", "@1-5", "--gate"});
  REQUIRE(workspace
              .run({"run",
                    workspace.study(),
                    "--accept-changes",
                    "--set",
                    "trials.count=13",
                    "--max-trials",
                    "1"})
              .exit_code == 0);
  const ProgramResult left_to_run = workspace.run({"compare", "demo@6-10", "@1-5", "--gate"});

  for (const ProgramResult& gate : {left_out, added, left_to_run}) {
    CHECK_THAT(gate.out, Contains("Only in a: size 2.") && !Contains("No trial that counts in b"));
    CHECK(gate.exit_code == 0);
  }
}

namespace {

// A program whose step time in ms is what the file "level" says.
std::string level_study(const Workspace& workspace) {
  return "version: 1\nstudy: demo\nworkload: command\n"
         "command: [sh, -c, 'for i in 1 2 3; do echo \"time $(cat " +
         workspace.file("level") +
         ").$SCALESTUDY_TRIAL$i\"; done', '{size}']\n"
         "extract: [{metric: step_time_s, unit: ms, regex: 'time (\\S+)', group: 1}]\n"
         "axes: {size: [1]}\nsteps: {warmup: 0, measured: 3}\nvalidity: {calibration: "
         "none}\ntrials: {count: 1}\n";
}

}  // namespace

TEST_CASE("what changed with a change of times is in every format of history", "[cli]") {
  const Workspace workspace;
  write_file(workspace.study(), level_study(workspace));
  write_file(workspace.file("level"), "20");
  run_sessions(workspace, 1, 6);
  write_file(workspace.study(), level_study(workspace) + "limits: {timeout: 60s}\n");
  write_file(workspace.file("level"), "22");
  run_sessions(workspace, 7, 12);

  const std::string recorded = "limits.timeout: (not given) -> 60 s (session 7)";
  CHECK_THAT(workspace.run({"history", "demo"}).out,
             Contains("\nRecorded there:\n- " + recorded + "\n"));
  CHECK_THAT(workspace.run({"history", "demo", "--format", "csv"}).out,
             EndsWith(",slower," + recorded + "\n"));
  const nlohmann::json rows =
      nlohmann::json::parse(workspace.run({"history", "demo", "--format", "json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["session"] == 7);
  CHECK(rows[0]["recorded"] == nlohmann::json::array({recorded}));
}

TEST_CASE("the night from which on a program was slower is found", "[cli]") {
  const Workspace workspace;
  write_file(workspace.study(), level_study(workspace));
  const auto set_level = [&](const std::string& level) {
    write_file(workspace.file("level"), level);
  };
  set_level("20");
  run_sessions(workspace, 1, 6);
  set_level("22");
  run_sessions(workspace, 7, 9);
  const std::string few =
      "Fewer than 10 sessions, or one without a time, so no change can be told: size 1.\n";
  CHECK(workspace.run({"history", "demo"}).out == few);
  CHECK(workspace.run({"history", "demo", "--gate"}).exit_code == 5);
  const ProgramResult untold = workspace.run({"history", "demo", "--format", "json"});
  CHECK(untold.err == few);
  const nlohmann::json cells = nlohmann::json::parse(untold.out);
  REQUIRE(cells.size() == 1);
  CHECK(cells[0]["label"] == "size=1");
  CHECK(cells[0]["session"].is_null());
  CHECK(cells[0]["verdict"] == "not enough data");
  CHECK(cells[0]["recorded"] == nlohmann::json::array());

  run_sessions(workspace, 10, 12);
  const ProgramResult found = workspace.run({"history", "demo", "--gate", "--format", "csv"});

  CHECK(found.exit_code == 4);
  const std::string head =
      "cell,label,session,earliest,latest,p_value,speedup,speedup_lo,speedup_hi,verdict,recorded\n";
  CHECK(found.out.starts_with(head));
  CHECK_THAT(found.out, Contains(",size=1,7,7,7,") && EndsWith(",slower,\n"));
  CHECK(found.err.empty());
  const std::string text = workspace.run({"history", "demo"}).out;
  CHECK_THAT(text, Contains("post-selection"));
  CHECK_THAT(text, Contains("Nothing recorded of machine, software and study changed there."));
  REQUIRE(workspace.run({"publish", workspace.file("site")}).exit_code == 0);
  const std::string page = scalestudy::test::read_file(workspace.file("site/history.html"));
  CHECK_THAT(page, Contains("<section id=\"demo\">") && Contains(">from session</th>"));
  CHECK_THAT(page,
             Contains("<p>Nothing recorded of machine") &&
                 Contains("<p>Sizes are probably overstated (post-sel"));
}
