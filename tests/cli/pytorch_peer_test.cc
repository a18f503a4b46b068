// The study that sets PyTorch beside train: its cells, the command line of each program, what is
// said without PyTorch, and with it that both train alike.
#include <cmath>
#include <regex>
#include <set>
#include <string>

#include "harness/study/matrix/command.h"
#include "harness/study/matrix/matrix.h"
#include "tests/cli/cli_fixture.h"
#include "tests/study/study_text.h"
#include "tests/support/skip.h"
#include "tests/workloads/trial.h"

using namespace scalestudy;
using Catch::Contains;
using test::ProgramResult;
using test::TemporaryFolder;

namespace {

const std::string kPeerStudy = SCALESTUDY_SOURCE_DIR "/studies/pytorch-peer.yaml";
const std::string kScript = "docs/examples/own-program/run_peer.sh";
const std::string kFlags =
    "--backend=cpu --model=gpt-tiny --precision=fp32 --optimizer=sgd --train-samples=4096 "
    "--warmup-steps=5 --measured-steps=20";

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

// The folder of this repository is where the script is to be started.
ProgramResult in_source(const std::vector<std::string>& command,
                        const std::vector<std::string>& environment) {
  std::vector<std::string> argv = {"env", "-C", SCALESTUDY_SOURCE_DIR};
  argv.insert(argv.end(), command.begin(), command.end());
  return test::run_program(argv, environment);
}

void write_program(const std::string& path, const std::string& text) {
  test::write_file(path, "#!/bin/sh\n" + text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

// Programs that note how they are called and do nothing; python3 finds torch where `has_torch`.
class NotingPrograms {
 public:
  explicit NotingPrograms(bool has_torch) {
    std::filesystem::create_directories(folder_.path() / "bin");
    for (const std::string name : {"mpirun", "scalestudy-train"}) {
      write_program(folder_.file("bin/" + name),
                    "echo " + name + " \"$@\" >> " + folder_.file("calls") + "\n");
    }
    write_program(folder_.file("bin/python3"), has_torch ? "exit 0\n" : "exit 1\n");
  }

  std::vector<std::string> environment() const {
    return {"PATH=" + folder_.file("bin") + ":/usr/bin:/bin", "TMPDIR=" + folder_.file(".")};
  }
  // The temporary folder's name is random.
  std::string calls() const {
    return std::regex_replace(
        test::read_file(folder_.file("calls")), std::regex("[^ =]*/tmp\\.[A-Za-z0-9]+"), "START");
  }
  bool has_left_nothing() const {
    const auto entries = std::filesystem::directory_iterator(folder_.path());
    return std::distance(begin(entries), end(entries)) == 2;  // bin, calls
  }

 private:
  TemporaryFolder folder_;
};

// A Python that has torch; nothing where none has.
std::string torch_python() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread changes it
  const char* given = std::getenv("SCALESTUDY_BENCH_PYTHON");
  for (const std::string& python :
       {std::string(given == nullptr ? "python3" : given),
        std::string(SCALESTUDY_SOURCE_DIR "/build/torch-peer/bin/python"),
        std::string("/usr/bin/python3")}) {
    if (test::run_program({"sh", "-c", "exec \"$0\" -c 'import torch'", python}).exit_code == 0) {
      return python;
    }
  }
  return "";
}

protocol::Record run_peer(const std::string& python,
                          const std::string& program,
                          int ranks,
                          const std::vector<std::string>& flags) {
  const TemporaryFolder folder;
  write_program(folder.file("python3"), "exec " + python + " \"$@\"\n");
  std::vector<std::string> command = {kScript, program, std::to_string(ranks)};
  command.insert(command.end(), flags.begin(), flags.end());
  const std::string path = test::search_path();
  const ProgramResult result = in_source(
      command,
      test::mpirun_environment({"PATH=" + folder.file("") + ":" SCALESTUDY_TEST_BIN ":" + path,
                                "SCALESTUDY_BLOCK=3",
                                "PYTHONDONTWRITEBYTECODE=1",
                                "SCALESTUDY_OUTPUT=" + folder.file("trial.jsonl")}));
  INFO(program << " " << join(flags) << ": " << result.err);
  REQUIRE(result.exit_code == 0);
  return protocol::read_record(folder.file("trial.jsonl"));
}

// Losses are those before each update, so that the first shows parameters and samples to be the
// same, and the others gradients, their sum over ranks and the optimizer.
void check_equal_losses(const std::vector<std::string>& model) {
  const std::string python = torch_python();
  if (python.empty()) {
    test::skip("no python3 with torch here");
  }
  test::skip_on_one_core();
  for (const std::string strategy : {"ddp", "fsdp"}) {
    for (const int ranks : {1, 2}) {
      std::vector<std::string> flags = model;
      flags.insert(flags.end(),
                   {"--strategy=" + strategy,
                    "--batch-per-device=2",
                    "--train-samples=64",
                    "--warmup-steps=2",
                    "--measured-steps=8"});
      CAPTURE(ranks);
      CAPTURE(strategy);
      const auto ours =
          test::events_of<protocol::Samples>(run_peer(python, "scalestudy", ranks, flags));
      const auto theirs =
          test::events_of<protocol::Samples>(run_peer(python, "pytorch", ranks, flags));
      const std::vector<double>& losses = test::values_of(ours, "loss");
      const std::vector<double>& peer = test::values_of(theirs, "loss");
      REQUIRE(losses.size() == 10);
      REQUIRE(peer.size() == 10);
      CHECK(test::values_of(theirs, "step_time_s").size() == 10);
      for (const std::string metric : {"loss", "step_time_s", "window_time_s"}) {
        CHECK(test::find_series(ours, metric)->unit == test::find_series(theirs, metric)->unit);
      }
      for (std::size_t step = 0; step < losses.size(); ++step) {
        CAPTURE(step);
        CHECK(losses[step] == Approx(peer[step]).epsilon(1e-4).margin(0.0));
      }
      CHECK(std::abs(losses.back() / losses.front() - 1.0) > 1e-3);  // it trained
    }
  }
}

}  // namespace

TEST_CASE("each cell of train has PyTorch's of the same strategy, devices and batch as its base",
          "[cli]") {
  const Study study = test::study_of(test::read_file(kPeerStudy));
  const Matrix matrix = expand(study);

  std::set<std::string> commands;
  for (const Cell& cell : matrix.cells) {
    const std::string command = join(expand_arguments(study.command, cell));
    commands.insert(command);
    const auto base = std::ranges::find(matrix.cells, cell.baseline.value(), &Cell::hash);
    REQUIRE(base != matrix.cells.end());
    CHECK(join(expand_arguments(study.command, *base)) ==
          std::regex_replace(command, std::regex(" scalestudy "), " pytorch "));
  }
  CHECK(matrix.cells.size() == 16);
  CHECK(commands.size() == 16);
  for (const std::string program : {"pytorch", "scalestudy"}) {
    for (const std::string strategy : {"ddp", "fsdp"}) {
      for (const std::string devices : {"1", "2"}) {
        for (const std::string batch : {"2", "8"}) {
          CHECK(commands.contains(kScript + " " + program + " " + devices + " --strategy=" +
                                  strategy + " --batch-per-device=" + batch + " " + kFlags));
        }
      }
    }
  }
}

TEST_CASE("both programs are started alike, and PyTorch's with what the other begins with",
          "[cli]") {
  const NotingPrograms programs(true);
  for (const std::string program : {"scalestudy", "pytorch"}) {
    const ProgramResult result = in_source(
        {kScript, program, "2", "--strategy=fsdp", "--model=gpt-tiny"}, programs.environment());
    INFO(result.err);
    CHECK(result.exit_code == 0);
  }

  CHECK(programs.calls() ==
        "mpirun -n 2 --bind-to core scalestudy-train --vary-seed=true --timing=light "
        "--strategy=fsdp --model=gpt-tiny\n"
        "scalestudy-train --write-start START --vary-seed=true --devices=2 --strategy=fsdp "
        "--model=gpt-tiny\n"
        "mpirun -n 2 --bind-to core python3 tests/bench/torch/peer.py --start=START "
        "--rendezvous=START/rendezvous --strategy=fsdp --model=gpt-tiny\n");
  CHECK(programs.has_left_nothing());
}

TEST_CASE("a program that there is not is refused", "[cli]") {
  const ProgramResult result = in_source({kScript, "jax", "1"}, {});

  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Contains("no program \"jax\""));
}

TEST_CASE("without torch PyTorch's trials are unsupported and say so", "[cli]") {
  const NotingPrograms programs(false);
  const test::Workspace workspace;

  const ProgramResult run = workspace.run({"run",
                                           kPeerStudy,
                                           "--set",
                                           "cwd=" SCALESTUDY_SOURCE_DIR,
                                           "--set",
                                           "axes.program=[pytorch]",
                                           "--set",
                                           "trials.count=1"},
                                          programs.environment());

  INFO(run.err);
  CHECK(run.exit_code == 3);
  const ProgramResult trials =
      workspace.run({"query", "SELECT DISTINCT state, reason FROM trials", "--format", "csv"});
  CHECK_THAT(trials.out, Contains("unsupported,") && Contains("has no torch; pip install torch"));
}

TEST_CASE("PyTorch's losses of an MLP are ours, by ddp and fsdp on one rank and two", "[cli]") {
  check_equal_losses({"--model=mlp-4096", "--model-layers=1"});
}

TEST_CASE("PyTorch's losses of a GPT are ours, by ddp and fsdp on one rank and two", "[cli]") {
  check_equal_losses({"--model=gpt-tiny"});
}
