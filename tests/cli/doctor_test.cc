// The verb doctor: what it says of this machine.
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::Workspace;

TEST_CASE("doctor names what is here", "[cli]") {
  const Workspace workspace;
  const ProgramResult result = workspace.run({"doctor"});
  CHECK_THAT(result.out, Contains("mpirun") && Contains("gnuplot") && Contains("cores"));
  const ProgramResult bare = workspace.run({"doctor"}, {"PATH=/nowhere"});
  CHECK(bare.exit_code == 2);
  CHECK_THAT(bare.out, Contains("missing") && Contains("apt-get install"));
}

TEST_CASE("doctor says of each feature whether it is here, and else how to get it", "[cli]") {
  const Workspace workspace;
  const std::string here = workspace.run({"doctor"}).out;
  const std::string bare = workspace.run({"doctor"}, {"PATH=/nowhere"}).out;
  const auto row = [](const std::string& text, const std::string& feature) {
    const std::size_t begin = text.find("\n" + feature + " ") + 1;
    REQUIRE(begin != 0);
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  for (const std::string feature : {"CPU training",
                                    "CUDA",
                                    "NCCL",
                                    "figures",
                                    "HTML",
                                    "Slurm",
                                    "Python module",
                                    "GPU telemetry",
                                    "CPU energy"}) {
    CAPTURE(feature);
    for (const std::string* text : {&here, &bare}) {
      const bool is_there = row(*text, feature).find(" yes ") != std::string::npos;
      CHECK(is_there != (row(*text, feature).find(" no ") != std::string::npos));
      const std::string advice = "\n" + feature + "\n  Debian: ";
      CHECK(is_there == (text->find(advice) == std::string::npos));
    }
  }
  CHECK_THAT(row(here, "figures"), Contains(" yes ") && Contains("/gnuplot"));
  for (const char* program : {"figures", "Slurm", "Python module", "CPU training"}) {
    CHECK_THAT(row(bare, program), Contains(" no ") && Contains("in PATH"));
  }
  CHECK_THAT(bare,
             Contains("  modules: module load gnuplot\n  container: apt-get install gnuplot"));

  // A module that Python finds is found here.
  const std::string folder = SCALESTUDY_SOURCE_DIR "/workloads/protocol";
  const std::string with =
      workspace.run({"doctor"}, {"PYTHONPATH=" + folder, "PYTHONDONTWRITEBYTECODE=1"}).out;
  if (scalestudy::test::run_program({"sh", "-c", "command -v python3"}).exit_code == 0) {
    CHECK_THAT(row(with, "Python module"), Contains(" yes ") && Contains("scalestudy_trial.py"));
  }
}
