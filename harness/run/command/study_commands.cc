#include "harness/run/command/study_commands.h"

#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/run/command/launch_command.h"
#include "harness/run/command/machine_fit.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

// - key: of the study file, whose program it is; "" for the launcher of ranks.
// - folder: where it is started; "": here.
void require_program(const Study& study,
                     const std::string& key,
                     const std::string& program,
                     const std::string& folder) {
  const bool is_path = program.find('/') != std::string::npos;
  if (find_program(is_path ? (fs::path(folder) / program).string() : program)) {
    return;
  }
  if (!key.empty()) {
    throw Error(ErrorKind::kMachine,
                fmt::format("{}: {} is not found or not executable{}. Give a program in PATH, or a "
                            "path to one",
                            key,
                            program,
                            folder.empty() ? "" : " from cwd " + folder));
  }
  throw Error(
      ErrorKind::kMachine,
      fmt::format("{} is not found in PATH; it launches the trials of workload {}. Install Open "
                  "MPI (Debian: apt-get install openmpi-bin)",
                  program,
                  to_word(study.workload)));
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
  std::set<std::tuple<std::string, std::string, std::string>> seen;  // key, program, folder
  for (const auto& [hash, command] : commands) {
    const bool has_ranks = study.workload != Workload::kCommand;
    for (const auto& [key, argv] : {std::pair(has_ranks ? "" : "command", &command.argv),
                                    std::pair("setup", &command.setup),
                                    std::pair("cleanup", &command.cleanup)}) {
      if (!argv->empty() && command.unsupported.empty() &&
          seen.emplace(key, argv->front(), command.working_folder).second) {
        require_program(study, key, argv->front(), command.working_folder);
      }
    }
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
