// The studies that come with the program: the commands in their comments do what they say.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::ProgramResult;
using test::Workspace;

namespace {

std::vector<std::string> shipped_studies() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SCALESTUDY_SOURCE_DIR "/studies")) {
    paths.push_back(entry.path().string());
  }
  return paths;
}

// What follows each --set on the comment line that chooses GPUs; nothing where there is none.
std::vector<std::string> gpu_settings(const std::string& study) {
  std::istringstream lines(test::read_file(study));
  std::vector<std::string> settings;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#') || line.find("parameters.backend=cuda") == std::string::npos) {
      continue;
    }
    const std::string command = line.substr(line.find("--set parameters.backend=cuda"));
    const std::regex setting("--set (\\S+)");
    for (std::sregex_iterator match(command.begin(), command.end(), setting), end; match != end;
         ++match) {
      settings.push_back((*match)[1]);
    }
  }
  return settings;
}

// The command of a comment that looks at the study on two CPU cores; "" where there is none.
std::string look_command(const std::string& study) {
  std::istringstream lines(test::read_file(study));
  std::string command;
  bool goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    const bool begins = line.starts_with("#   scalestudy run studies/");
    if (!line.starts_with("#") || (!begins && !goes_on)) {
      goes_on = false;
      continue;
    }
    command += line.substr(1) + "\n";
    const auto quotes = std::count(command.begin(), command.end(), '"');
    goes_on = line.ends_with("\\") || quotes % 2 != 0;
  }
  return command;
}

}  // namespace

TEST_CASE("the look at a study on two CPU cores is of two cores", "[cli]") {
  const Workspace workspace;
  int looks = 0;
  for (const std::string& study : shipped_studies()) {
    std::string command = look_command(study);
    if (command.empty()) {
      continue;
    }
    INFO(study << ": " << command);
    const std::string run = "scalestudy run studies/";
    command.replace(command.find(run),
                    run.size(),
                    SCALESTUDY_TEST_BIN "/scalestudy plan --format csv " SCALESTUDY_SOURCE_DIR
                                        "/studies/");
    const ProgramResult planned = test::run_program({"/bin/sh", "-c", command}, {}, "");
    INFO(planned.err);
    CHECK(planned.exit_code == 0);
    CHECK(planned.out.find("devices=1") != std::string::npos);
    CHECK(planned.out.find("devices=2") != std::string::npos);
    CHECK(planned.out.find("devices=4") == std::string::npos);
    CHECK(planned.out.find("devices=8") == std::string::npos);
    ++looks;
  }
  CHECK(looks >= 5);
}

// Interpolation needs that (stats/METHODS.md, break-even); a size is its number of parameters.
TEST_CASE("studies of the break-even in parameters have five sizes at most twice apart", "[cli]") {
  int studies = 0;
  for (const std::string& study : shipped_studies()) {
    const std::string text = test::read_file(study);
    if (text.find("along: parameter_count") == std::string::npos ||
        study.find("break-even") == std::string::npos) {
      continue;
    }
    INFO(study);
    ++studies;
    std::vector<std::string> arguments = {
        SCALESTUDY_TEST_BIN "/scalestudy-train", "--describe", "--batch-global", "8"};
    const std::regex fixed("\n  model(\\.[a-z]+)?: (\\S+)");
    const std::string parameters = text.substr(0, text.find("\naxes:"));
    for (std::sregex_iterator match(parameters.begin(), parameters.end(), fixed), end; match != end;
         ++match) {
      const std::string name = (*match)[1].length() > 0 ? "-" + (*match)[1].str().substr(1) : "";
      arguments.insert(arguments.end(), {"--model" + name, (*match)[2]});
    }
    const std::regex list("model\\.width[:=] ?\\[([^\\]]*)\\]");  // the axis, and that for GPUs
    for (std::sregex_iterator axis(text.begin(), text.end(), list), end; axis != end; ++axis) {
      std::istringstream widths((*axis)[1]);
      std::vector<double> sizes;
      for (std::string width; std::getline(widths, width, ',');) {
        std::vector<std::string> describe = arguments;
        describe.insert(describe.end(),
                        {"--model-width", width.substr(width.find_first_not_of(' '))});
        const ProgramResult described = test::run_program(describe, {}, "");
        INFO(described.err);
        REQUIRE(described.exit_code == 0);
        sizes.push_back(std::stod(described.out.substr(described.out.find(": ") + 2)));
      }
      CHECK(sizes.size() >= 5);
      for (std::size_t i = 1; i < sizes.size(); ++i) {
        CAPTURE(sizes[i - 1], sizes[i]);
        CHECK(sizes[i] > sizes[i - 1]);
        CHECK(sizes[i] <= 2.0 * sizes[i - 1]);
      }
    }
  }
  CHECK(studies == 2);
}

TEST_CASE("every study can be planned as it is, and with what its comment says for GPUs",
          "[cli][slow]") {
  const Workspace workspace;
  int gpu_commands = 0;
  for (const std::string& study : shipped_studies()) {
    INFO(study);
    const ProgramResult plain = workspace.run({"plan", study});
    INFO(plain.err);
    CHECK(plain.exit_code == 0);
    const std::vector<std::string> settings = gpu_settings(study);
    const std::string text = test::read_file(study);
    CHECK(settings.empty() == (text.find("workload: train") == std::string::npos ||
                               text.find("# Of CPU cores alone:") != std::string::npos));
    std::vector<std::string> arguments = {"plan", study};
    for (const std::string& setting : settings) {
      arguments.insert(arguments.end(), {"--set", setting});
    }
    const ProgramResult on_gpus = workspace.run(arguments);
    INFO(on_gpus.err);
    CHECK(on_gpus.exit_code == 0);
    gpu_commands += settings.empty() ? 0 : 1;
  }
  CHECK(gpu_commands >= 6);
}
