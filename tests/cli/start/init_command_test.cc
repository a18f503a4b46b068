// Black box: what `init` of a command guesses, and that it is used as it stands.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::lines_of;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::read_file;
using scalestudy::test::start_program;
using scalestudy::test::wait_for;
using scalestudy::test::wait_until;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

TEST_CASE("init of a command runs it once, finds its step times and writes a study that runs",
          "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");
  const std::string runs = workspace.file("runs");
  const std::string script = workspace.file("train.sh");
  write_file(
      script,
      "echo run $1 >> " + runs +
          "\necho reading data took 3 s\n"
          "for i in 10 11 12 13 14 15 16 17; do echo \"iter $i: loss 2.31, time 4$1 ms\"; done\n");

  const ProgramResult init = workspace.run({"init", path, "--", "sh", script, "{batch_global}"});

  INFO(init.err);
  CHECK(init.exit_code == 0);
  CHECK(read_file(runs) == "run 32\n");
  CHECK_THAT(init.err,
             Contains("running the command once, for at most 1 min 00 s (--limit): sh ") &&
                 Contains("guessed a rule that finds 8 step times in lines like:\n"
                          "    iter 10: loss 2.31, time 432 ms") &&
                 Contains("run " + path + " --check"));
  const std::string text = read_file(path);
  INFO(text);
  CHECK(lines_of(text).size() >= 12);
  CHECK(lines_of(text).size() <= 20);
  CHECK_THAT(text,
             Contains("batch_global: [32, 64, 128]   # guessed") &&
                 Contains("extract:   # guessed, e.g. iter 10: loss 2.31, time 432 ms\n") &&
                 Contains("steps: {warmup: 2, measured: rest}   # guessed"));
  REQUIRE(workspace.run({"validate", path}).exit_code == 0);
  REQUIRE(workspace.run({"run", path, "--set", "trials=1", "--set", "validity.calibration=none"})
              .exit_code == 0);
  CHECK(query_csv(workspace,
                  "SELECT DISTINCT metric, value FROM samples WHERE rank IS NULL ORDER BY metric, "
                  "value") ==
        "metric,value\nloss,2.31\nstep_time_s,0.432\nstep_time_s,0.464\nstep_time_s,4.128\n");
}

TEST_CASE("init leaves out as many lines where one comes every tenth step", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const ProgramResult init = workspace.run(
      {"init",
       path,
       "--",
       "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "
       "if [ $i -le 5 ]; then t=900; else t=100; fi; echo step $((10*i)): $t ms; done"});

  INFO(init.err);
  REQUIRE(init.exit_code == 0);
  INFO(read_file(path));
  CHECK_THAT(read_file(path),
             Contains("steps: {warmup: 50, measured: rest}   # guessed: the first 50 of 200 steps "
                      "do not count\n"));
  REQUIRE(workspace.run({"run", path, "--set", "trials=1", "--set", "validity.calibration=none"})
              .exit_code == 0);
  CHECK(query_csv(workspace, "SELECT steps, warmup, round(step_time_s, 9) AS s FROM step_times") ==
        "steps,warmup,s\n15,5,0.1\n");
}

TEST_CASE("init of a command takes lists, and recognises known programs", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const ProgramResult init = workspace.run(
      {"init",
       path,
       "-L",
       "threads",
       "2,4",
       "--",
       "for i in 1 2 3 4; do echo \"iter $i: loss 3.2, time 1{threads}.5ms, mfu 11%\"; done"});

  INFO(init.err);
  CHECK(init.exit_code == 0);
  CHECK_THAT(init.err, Contains("recognised the output of nanogpt"));
  CHECK_THAT(read_file(path),
             Contains("extract: {preset: nanogpt}") && Contains("threads: [2, 4]\n") &&
                 Contains("baseline: {threads: 2}"));
  CHECK(workspace.run({"validate", path}).exit_code == 0);
}

TEST_CASE("init writes a rule that reads the lines of every value of an axis", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const ProgramResult init =
      workspace.run({"init",
                     path,
                     "-L",
                     "algo",
                     "ring,tree",
                     "--",
                     "for i in 1 2 3 4; do echo \"step $i {algo} all-reduce: 4$i us\"; done"});

  INFO(init.err);
  REQUIRE(init.exit_code == 0);
  INFO(read_file(path));
  CHECK(workspace.run({"run", path, "--set", "trials=1", "--set", "validity.calibration=none"})
            .exit_code == 0);
  CHECK(query_csv(workspace, "SELECT count(*) AS n FROM samples WHERE metric = 'step_time_s'") ==
        "n\n8\n");  // of both levels
}

TEST_CASE("init writes a list of numbers as numbers, and one of versions as text", "[cli]") {
  const Workspace workspace;
  const auto axis = [&](const std::string& name, const std::string& values) {
    const std::string path = workspace.file("mine.yaml");
    const ProgramResult init =
        workspace.run({"init", path, "--force", "-L", name, values, "--", "echo {" + name + "}"});
    INFO(init.err);
    CHECK(init.exit_code == 0);
    const std::string text = read_file(path);
    const std::size_t at = text.find("  " + name + ": [");
    return at == std::string::npos ? "" : text.substr(at + 2, text.find('\n', at) - at - 2);
  };
  CHECK(axis("x", "1.25,1.50") == "x: [1.25, 1.50]");
  CHECK(axis("x", "3.9,3.10") == "x: ['3.9', '3.10']");
  CHECK(axis("x", "3.10,3.11") == "x: ['3.10', '3.11']");
  CHECK(axis("python", "3.10,3.50") == "python: ['3.10', '3.50']");
  CHECK(axis("with_cuda", "0,1") == "with_cuda: [0, 1]");
  CHECK(axis("x", "latest,1.10") == "x: [latest, '1.10']");
}

TEST_CASE("init of a command with several lists has a baseline for each value of the others",
          "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");
  const std::string ranks = workspace.file("ranks.yaml");

  REQUIRE(workspace
              .run({"init",
                    path,
                    "-L",
                    "dtype",
                    "a,b",
                    "-L",
                    "size",
                    "1,2",
                    "--",
                    "echo {dtype} {size}"})
              .exit_code == 0);
  REQUIRE(workspace.run({"init", ranks, "--", "echo {batch_global} {devices}"}).exit_code == 0);
  const std::string alone = workspace.file("alone.yaml");
  REQUIRE(workspace.run({"init", alone, "--", "echo {devices}"}).exit_code == 0);
  CHECK_THAT(read_file(alone), Contains("How do devices change the speed of echo?"));

  CHECK_THAT(read_file(path), Contains("baseline: {dtype: a}"));
  CHECK_THAT(read_file(ranks),
             Contains("baseline: {devices: 1}") &&
                 Contains("How do batch_global and devices change the speed of echo?"));
}

TEST_CASE("init of a command without step times times it as a whole, and shows what it printed",
          "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const ProgramResult init = workspace.run({"init", path, "--", "sh", "-c", "echo epoch 1 done"});

  CHECK(init.exit_code == 0);
  CHECK_THAT(init.err, Contains("found no step times in what it printed:\n    epoch 1 done"));
  CHECK_THAT(read_file(path),
             Contains("{metric: step_time_s, from: wall_time}") &&
                 Contains("How long does the command take?"));
  CHECK(workspace.run({"validate", path}).exit_code == 0);

  const ProgramResult silent = workspace.run({"init", workspace.file("silent.yaml"), "--", "true"});
  CHECK(silent.exit_code == 0);
  CHECK_THAT(silent.err, Contains("it printed nothing, and so no step times\n"));

  const std::string rate = workspace.file("rate.yaml");
  CHECK(workspace.run({"init", rate, "--", "echo", "step 1 | 512 img/s"}).exit_code == 0);
  CHECK_THAT(read_file(rate), Contains("unit: samples/s, per_step: '32'"));
  CHECK(workspace.run({"validate", rate}).exit_code == 0);
}

TEST_CASE("init of a command that prints a rate takes the batch for the size of a step", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");
  const std::string line = "for i in 1 2 3 4; do echo step $i: 512 img/s of {batch_global}; done";

  const ProgramResult init = workspace.run({"init", path, "--", line});

  INFO(init.err);
  CHECK(init.exit_code == 0);
  CHECK_THAT(read_file(path), Contains("unit: samples/s, per_step: '{batch_global}'"));
  REQUIRE(workspace
              .run({"run",
                    path,
                    "--set",
                    "trials=1",
                    "--set",
                    "axes.batch_global=[64]",
                    "--set",
                    "analysis.baseline=null",
                    "--set",
                    "validity.calibration=none"})
              .exit_code == 0);
  CHECK(query_csv(workspace, "SELECT DISTINCT value FROM samples WHERE metric = 'step_time_s'") ==
        "value\n0.125\n");
}

TEST_CASE("init of a command that prints the rate of one device takes the batch of one", "[cli]") {
  const Workspace workspace;
  const auto written = [&](const std::string& line) {
    const std::string path = workspace.file("mine.yaml");
    const ProgramResult init = workspace.run({"init", path, "--force", "--", line});
    INFO(init.err);
    CHECK(init.exit_code == 0);
    return read_file(path);
  };

  CHECK_THAT(written("echo step 1: 512 img/s per GPU of {batch_global}"),
             Contains("Set per_step to the size of a step on one device to use this instead"));
  CHECK_THAT(written("echo step 1: 512 img/s per GPU of {batch_per_device}"),
             Contains("unit: samples/s, per_step: '{batch_per_device}'"));
  CHECK_THAT(written("echo step 1: 512 img/s per GPU of {batch_global} on {devices}"),
             Contains("unit: samples/s, per_step: '{batch_per_device}'"));
  REQUIRE(workspace
              .run({"run",
                    workspace.file("mine.yaml"),
                    "--set",
                    "trials=1",
                    "--set",
                    "axes={devices: [2], batch_global: [64]}",
                    "--set",
                    "steps.warmup=0",
                    "--set",
                    "analysis.baseline=null",
                    "--set",
                    "validity.calibration=none"})
              .exit_code == 0);
  CHECK(query_csv(workspace, "SELECT DISTINCT value FROM samples WHERE metric = 'step_time_s'") ==
        "value\n0.0625\n");
}

TEST_CASE("init of a command tells what of its guess to check", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const ProgramResult choice = workspace.run({"init", path, "--", "echo a 10 ms b 20 ms"});
  const ProgramResult cut = workspace.run({"init", path, "--force", "--", "echo took 1m 2.5s"});

  CHECK_THAT(choice.err,
             Contains("check the column: the rule reads 'a 10 ms'; equally likely: 'b 20 ms'"));
  CHECK_THAT(cut.err, Contains("passed over 'took 1m 2.5s': a rule would read only a part of it"));
  CHECK_THAT(read_file(path), Contains("from: wall_time"));
}

TEST_CASE("init of a command that runs on is read as far as it came", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const ProgramResult init = workspace.run({"init",
                                            path,
                                            "--limit",
                                            "1s",
                                            "--",
                                            "sh",
                                            "-c",
                                            "echo step 1: 5 ms; echo step 2: 5 ms; sleep 60"});

  INFO(init.err);
  CHECK(init.exit_code == 0);
  CHECK_THAT(init.err, Contains("for at most 1 s") && Contains("finds 2 step times"));

  const std::vector<std::string> one = {
      "init", path, "--force", "--limit", "1s", "--", "sh", "-c", "echo took 5 ms; sleep 60"};
  CHECK(workspace.run(one).exit_code == 0);
  CHECK_THAT(read_file(path), Contains("steps: {warmup: 0, measured: rest}"));
}

TEST_CASE("init of a command that prints one step time measures one step", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");
  const std::string script = workspace.file("train.sh");
  write_file(script,
             R"(echo ':::MLLOG {"namespace": "", "time_ms": 1728400000000, )"
             R"("event_type": "POINT_IN_TIME", "key": "tracked_stats", )"
             R"("value": {"train_step_time": 2.5}, "metadata": {}}')"
             "\n");

  const ProgramResult init = workspace.run({"init", path, "--", "sh", script});

  INFO(init.err);
  CHECK(init.exit_code == 0);
  CHECK_THAT(init.err, Contains("recognised the output of mllog: 1 step time\n"));
  CHECK_THAT(read_file(path),
             Contains("steps: {warmup: 0, measured: 1}   # guessed: the command prints one step "
                      "time\n"));
  CHECK(workspace.run({"run", path, "--check"}).exit_code == 0);
}

TEST_CASE("init of a command that prints decimal commas writes a rule that reads them", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const ProgramResult init = workspace.run(
      {"init", path, "--", "for i in 1 2 3; do echo \"Schritt $i: 1.226,7 ms\"; done"});

  INFO(init.err);
  CHECK(init.exit_code == 0);
  CHECK_THAT(read_file(path), Contains(", decimal: comma}\n"));
  const ProgramResult check = workspace.run({"run", path, "--check"});
  CHECK(check.exit_code == 0);
  CHECK_THAT(check.out, Contains("1.23 s"));
}

TEST_CASE("init of a command that cannot be studied writes nothing and says why", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");
  const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
    arguments.insert(arguments.begin(), {"init", path});
    const ProgramResult init = workspace.run(arguments);
    CHECK(init.exit_code == 2);
    CHECK_THAT(init.err, Contains(why));
    CHECK_FALSE(std::filesystem::exists(path));
  };

  refused({"--", "sh", "-c", "echo no such file >&2; exit 3"},
          "ended with exit code 3: no such file");
  refused({"--", "/no/such/program"}, "could not be started");
  refused({"--", "GPUS=2", "sh"}, "To set a variable, quote the whole command");
  refused({"--", "echo", "{size}"}, "{size}: it has no values");
  refused({"--", "awk", "{print}"}, "write a space: { print }");
  refused({"-L", "size", "1,2", "--", "echo"}, "the command has no {size}");
  refused({"-L", "size", "1,2"}, "-L goes with a command");
  refused({"--limit", "soon", "--", "true"}, "--limit soon: write a time");
  refused({"-L", "size", "--", "echo", "{size}"}, "-L size: there are no values");
  refused({"-L", "size", "--limit", "1s", "--", "echo", "{size}"}, "-L size: there are no values");
  for (const char* option : {"--limit=1s", "--quiet", "--color=never"}) {
    CAPTURE(option);
    refused({"-L", "size", option, "--", "echo", "{size}"}, "-L size: there are no values");
  }
  refused({"--limit", "1s"}, "--limit goes with a command");
  refused({"--of", "notes"}, "--of goes with --template");
  refused({"--kind", "train", "--", "true"}, "do not go together");
}

TEST_CASE("init runs a command that names {trial_folder} with an empty folder", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");
  const std::string seen = workspace.file("seen");

  const ProgramResult init =
      workspace.run({"init",
                     path,
                     "--",
                     "sh",
                     "-c",
                     "ls -a \"$1\" | wc -l > " + seen + "; echo x > \"$1/x\"; echo step 1: 5 ms",
                     "sh",
                     "{trial_folder}"});

  INFO(init.err);
  CHECK(init.exit_code == 0);
  CHECK(read_file(seen) == "2\n");  // . and ..
  CHECK_THAT(read_file(path), Contains(", sh, '{trial_folder}']\n"));
}

TEST_CASE("init takes no program for the file to write", "[cli]") {
  const Workspace workspace;
  const ProgramResult init = workspace.run({"init", "--", "env", "true"});
  CHECK(init.exit_code == 2);
  CHECK_THAT(init.err,
             Contains("env is also a program; if it is the file to write, call it env.yaml"));
}

TEST_CASE("init of a command that is interrupted writes nothing", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");
  const std::string begun = workspace.file("begun");
  const pid_t pid = start_program(
      workspace.argv({"init", path, "--", "sh", "-c", "touch " + begun + "; sleep 30"}),
      {},
      "/dev/null",
      workspace.file("out"),
      workspace.file("err"));
  REQUIRE(wait_until([&] { return std::filesystem::exists(begun); }, 20.0));

  kill(pid, SIGINT);

  CHECK(wait_for(pid) == 130);
  CHECK_THAT(read_file(workspace.file("err")), Contains("nothing was written"));
  CHECK_FALSE(std::filesystem::exists(path));
}
