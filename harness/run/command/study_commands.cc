#include "harness/run/command/study_commands.h"

#include <filesystem>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/run/command/launch_command.h"
#include "harness/run/command/machine_fit.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

// - folder: where it is started; "": here.
bool is_there(const std::string& program, const std::string& folder) {
  const bool is_path = program.find('/') != std::string::npos;
  return find_program(is_path ? (fs::path(folder) / program).string() : program).has_value();
}

std::string missing_launcher(const std::string& program, const Study& study) {
  return fmt::format(
      "{} is not found in PATH; it launches the trials of workload {}. Install Open MPI (Debian: "
      "apt-get install openmpi-bin)",
      program,
      to_word(study.workload));
}

// What the commands lack, each program once.
// - own: "setup: ./make-input is not found or not executable", by the key of the study file.
struct Missing {
  std::vector<std::string> launchers;
  std::vector<std::string> own;
};

Missing missing_programs(const Study& study, const std::map<std::string, LaunchCommand>& commands) {
  const bool has_ranks = study.workload != Workload::kCommand;
  std::set<std::tuple<std::string, std::string, std::string>> seen;  // key, program, folder
  Missing missing;
  for (const auto& [hash, command] : commands) {
    const std::string& folder = command.working_folder;
    for (const auto& [key, argv] : {std::pair("command", &command.argv),
                                    std::pair("setup", &command.setup),
                                    std::pair("cleanup", &command.cleanup)}) {
      if (argv->empty() || !command.unsupported.empty() ||
          !seen.emplace(key, argv->front(), folder).second || is_there(argv->front(), folder)) {
        continue;
      }
      if (has_ranks && argv == &command.argv) {
        missing.launchers.push_back(missing_launcher(argv->front(), study));
      } else {
        missing.own.push_back(fmt::format("{}: {} is not found or not executable{}",
                                          key,
                                          argv->front(),
                                          folder.empty() ? "" : " from cwd " + folder));
      }
    }
  }
  return missing;
}

}  // namespace

std::map<std::string, LaunchCommand> make_commands(const Study& study,
                                                   const Matrix& matrix,
                                                   std::map<std::string, Checkout> checkouts,
                                                   const RunWorld& world) {
  LaunchResources resources = launch_resources(matrix.cells, world.machine, world.nodes);
  resources.checkouts = std::move(checkouts);
  if (study.workload != Workload::kCommand) {
    resources.program = workload_program(to_word(study.workload)).string();
  }
  std::map<std::string, LaunchCommand> commands;
  for (const Cell& cell : matrix.cells) {
    commands.emplace(cell.hash, launch_command(study, cell, resources));
  }
  return commands;
}

void require_programs(const Study& study, const std::map<std::string, LaunchCommand>& commands) {
  const Missing missing = missing_programs(study, commands);
  std::vector<std::string> lines = missing.launchers;
  if (!missing.own.empty()) {
    lines.push_back(join(missing.own, "\n") + ". Give a program in PATH, or a path to one");
  }
  if (!lines.empty()) {
    throw Error(ErrorKind::kMachine, join(lines, "\n"));
  }
  for (const auto& [hash, command] : commands) {
    if (study.workload != Workload::kCommand && !command.checkout_side.empty() &&
        !find_program(command.argv.back())) {
      throw Error(
          ErrorKind::kMachine,
          fmt::format("{}: side {} has no such program yet; add to the study what makes it, "
                      "run at the top of the checkout, e.g. build: [sh, -c, \"cmake "
                      "--preset release && cmake --build --preset release\"]",
                      command.argv.back(),
                      command.checkout_side));
    }
  }
}

}  // namespace scalestudy
