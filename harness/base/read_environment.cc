#include "harness/base/read_environment.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "harness/base/read_file.h"

namespace scalestudy {

std::string read_environment(int process) {
  const std::filesystem::path folder = "/proc/" + std::to_string(process);
  std::string environment = read_system_file(folder / "environ");
  // With arguments it may be a program that was given no variable, or one that begins the next
  // program between two of these looks: several such looks are needed to believe the former.
  int looks_with_arguments = 0;
  for (int tries = 0; environment.empty() && tries < 2000 && looks_with_arguments < 5; ++tries) {
    std::error_code error;
    if (std::filesystem::read_symlink(folder / "exe", error).empty()) {
      break;  // it runs no program, or is not ours to look at
    }
    looks_with_arguments += read_system_file(folder / "cmdline").empty() ? 0 : 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    environment = read_system_file(folder / "environ");
  }
  return environment;
}

}  // namespace scalestudy
