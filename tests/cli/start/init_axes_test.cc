// Black box: the axes, pairs, parameters and epochs of a study that `init` of a command writes.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::query_csv;
using scalestudy::test::read_file;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// What `init FILE ARGUMENTS` writes.
std::string written(const Workspace& workspace, std::vector<std::string> arguments) {
  const std::string path = workspace.file("mine.yaml");
  arguments.insert(arguments.begin(), {"init", path, "--force"});
  const ProgramResult init = workspace.run(arguments);
  INFO(init.err);
  CHECK(init.exit_code == 0);
  return read_file(path);
}

// A program that prints the time of each of three epochs, which is the same for every batch.
std::string epochs_script(const Workspace& workspace) {
  const std::string script = workspace.file("train.sh");
  write_file(script,
             "for e in 1 2 3; do echo \"Epoch [$e/3] Train Loss: 2.$e Acc: 3$e.5% Time: 0.50s "
             "LR: 0.1\"; done\n");
  return script;
}

}  // namespace

TEST_CASE("a list of one value is a parameter, and not an axis", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const std::string text = written(
      workspace, {"-L", "model", "small", "-L", "level", "1,2", "--", "echo {model} {level}"});

  INFO(text);
  CHECK_THAT(text,
             Contains("axes:   # every combination is measured\n  level: [1, 2]\nparameters:\n"
                      "  model: small\n") &&
                 Contains("How does level change the speed of echo?") &&
                 Contains("baseline: {level: 1}"));
  CHECK(workspace.run({"validate", path}).exit_code == 0);
  const std::string one = written(workspace, {"-L", "x", "3.10", "--", "echo {x}"});
  CHECK_THAT(one,
             Contains("parameters:\n  x: '3.10'\n") && Contains("How long does echo take?") &&
                 !Contains("baseline"));
  CHECK(workspace.run({"validate", path}).exit_code == 0);
  // What is to be filled in goes into the same section.
  CHECK_THAT(
      written(workspace, {"-L", "model", "small", "--", "echo {model} {devices}: step 1: 20 ms"}),
      Contains("parameters:\n  model: small\n  # batch_per_device: 32   # fill in: "));
}

TEST_CASE("the title of a study with several axes lists them with commas", "[cli]") {
  const Workspace workspace;
  const std::string text = written(
      workspace, {"-L", "a", "1,2", "-L", "b", "1,2", "-L", "c", "1,2", "--", "echo {a}{b}{c}"});
  CHECK_THAT(text, Contains("How do a, b and c change the speed of echo?"));
}

TEST_CASE("init pairs numbers of nodes with those of their devices", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const std::string text = written(workspace,
                                   {"-L",
                                    "nodes",
                                    "1,2",
                                    "-L",
                                    "devices",
                                    "4,8",
                                    "-L",
                                    "opt",
                                    "a,b",
                                    "--",
                                    "echo --nodes {nodes} --opt {opt}"});

  INFO(text);
  CHECK_THAT(text,
             Contains("  opt: [a, b]\nzip:   # devices counts those of all nodes\n"
                      "  - {nodes: 1, devices: 4}\n  - {nodes: 2, devices: 8}\n") &&
                 Contains("baseline: {nodes: 1, devices: 4}"));
  const ProgramResult plan = workspace.run({"validate", path});
  INFO(plan.err);
  CHECK(plan.exit_code == 0);
}

TEST_CASE("init says how to list nodes and devices where they do not go together", "[cli]") {
  const Workspace workspace;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
    const std::string path = workspace.file("none.yaml");
    arguments.insert(arguments.begin(), {"init", path});
    const ProgramResult init = workspace.run(arguments);
    CHECK(init.exit_code == 2);
    CHECK_THAT(init.err, Contains(why));
    CHECK_FALSE(std::filesystem::exists(path));
  };

  refused({"-L", "nodes", "1,2,4", "--", "echo {nodes}"},
          "add -L devices with as many values, e.g. -L nodes 1,2 -L devices 8,16, and the study "
          "pairs them (zip)");
  refused({"-L", "devices", "8,16", "--", "echo {nodes}"},
          "give -L nodes as many values, and the study pairs them (zip)");
  refused({"-L", "nodes", "2", "-L", "devices", "8,16", "--", "echo {nodes}"},
          "give -L nodes as many values, and the study pairs them (zip)");
  refused({"-L", "nodes", "2", "--", "echo {nodes}"},
          "needs a value too; add -L devices, e.g. -L nodes 2 -L devices 16");
  refused({"-L", "nodes", "1,2,4", "-L", "devices", "8,16", "--", "echo {nodes}"},
          "-L nodes has 3 values and -L devices 2");
  refused({"-L", "nodes", "1,2", "-L", "devices", "8,9", "--", "echo {nodes}"},
          "9 devices cannot be divided among 2 nodes");
}

TEST_CASE("init says that a whole command counts as a step of one batch", "[cli]") {
  const Workspace workspace;
  const auto told = [&](const std::string& name) {
    const ProgramResult init = workspace.run(
        {"init", workspace.file(name + ".yaml"), "-L", name, "32,64", "--", "true {" + name + "}"});
    CHECK(init.exit_code == 0);
    return init.err;
  };

  CHECK_THAT(told("batch_global"), Contains("a batch of twice the size looks twice as fast"));
  CHECK_THAT(told("batch_size"), !Contains("twice as fast"));
}

TEST_CASE("one number of nodes takes one of devices that the command does not name", "[cli]") {
  const Workspace workspace;

  const std::string text = written(
      workspace,
      {"-L", "nodes", "2", "-L", "devices", "8", "-L", "opt", "a,b", "--", "echo {nodes} {opt}"});

  INFO(text);
  CHECK_THAT(text, Contains("parameters:\n  nodes: 2\n  devices: 8\n"));
  const ProgramResult validated = workspace.run({"validate", workspace.file("mine.yaml")});
  INFO(validated.err);
  CHECK(validated.exit_code == 0);
}

TEST_CASE("times of epochs are no step times where the batch varies", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const ProgramResult init =
      workspace.run({"init", path, "--", "sh", epochs_script(workspace), "{batch_global}"});

  INFO(init.err);
  REQUIRE(init.exit_code == 0);
  CHECK_THAT(init.err,
             Contains("guessed a rule that finds 3 epoch times") &&
                 Contains("Fill in samples_per_epoch under parameters"));
  std::string text = read_file(path);
  INFO(text);
  CHECK_THAT(text,
             Contains("unit: s/epoch, per_step: '{batch_global} / {samples_per_epoch}'") &&
                 Contains("# guessed: all 3 epochs count"));
  const std::string open = "# parameters: {samples_per_epoch: 50000}   # fill in";
  const std::size_t at = text.find(open);
  REQUIRE(at != std::string::npos);
  CHECK_THAT(workspace.run({"validate", path}).err,
             Contains("give samples_per_epoch a value in parameters"));

  write_file(path, text.erase(at, 2));

  REQUIRE(workspace.run({"run", path, "--set", "trials=1", "--set", "validity.calibration=none"})
              .exit_code == 0);
  CHECK(query_csv(workspace,
                  "SELECT DISTINCT round(value, 9) AS s FROM samples "
                  "WHERE metric = 'step_time_s' ORDER BY s") == "s\n0.00032\n0.00064\n0.00128\n");
}

TEST_CASE("without a batch an epoch counts as a step, and init says so", "[cli]") {
  const Workspace workspace;
  const std::string path = workspace.file("mine.yaml");

  const ProgramResult init = workspace.run(
      {"init", path, "-L", "level", "1,2", "--", "sh", epochs_script(workspace), "{level}"});

  CHECK_THAT(init.err, Contains("the lines are those of epochs, so an epoch counts as a step"));
  CHECK_THAT(read_file(path), Contains("unit: s, regex"));
  CHECK(workspace.run({"validate", path}).exit_code == 0);
  CHECK_THAT(written(workspace, {"--", "sh", epochs_script(workspace), "{devices}"}),
             Contains("# parameters: {batch_global: 50000}   # fill in: samples of an epoch"));
}

TEST_CASE("init says that an axis by another name does not count devices", "[cli]") {
  const Workspace workspace;
  const auto init = [&](const std::string& name) {
    return workspace.run({"init", "-", "-L", name, "1,2", "--", "echo step 1: 3 ms {" + name + "}"})
        .err;
  };
  for (const char* name :
       {"nproc", "nproc_per_node", "ngpus", "gpus", "num_gpus", "world_size", "np", "ranks"}) {
    CHECK_THAT(init(name),
               Contains(std::string("warning: ") + name +
                        " is taken for a setting like any other: every cell counts as a run on 1 "
                        "device."));
  }
  CHECK_THAT(init("threads"), !Contains("taken for a setting"));
}

TEST_CASE("the title of a study of a log does not name the program that shows it", "[cli]") {
  const Workspace workspace;
  write_file(workspace.file("old.log"), "step 1: 20 ms\nstep 2: 21 ms\n");

  CHECK_THAT(written(workspace, {"--", "cat", workspace.file("old.log")}),
             Contains("title: 'How long does the command take?'\n"));
}
