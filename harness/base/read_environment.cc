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
  for (int tries = 0; environment.empty() && tries < 2000; ++tries) {
    std::error_code error;
    if (std::filesystem::read_symlink(folder / "exe", error).empty()) {
      break;  // it runs no program, or is not ours to look at
    }
    // Arguments are there from the same moment on: a program that has them was given no variable.
    if (!read_system_file(folder / "cmdline").empty()) {
      return read_system_file(folder / "environ");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    environment = read_system_file(folder / "environ");
  }
  return environment;
}

}  // namespace scalestudy
