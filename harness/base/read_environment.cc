#include "harness/base/read_environment.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/base/read_file.h"

namespace scalestudy {
namespace {

// Whether the process was given no variable, by its fields of proc(5): they begin and end at the
// same address. So it may be while it begins another program, but then its code has no address yet.
bool has_no_variable(const std::filesystem::path& folder) {
  constexpr std::size_t start_code = 26;
  constexpr std::size_t env_start = 50;
  constexpr std::size_t env_end = 51;
  const std::string stat = read_system_file(folder / "stat");
  std::istringstream text(stat.substr(std::min(stat.rfind(')'), stat.size())));
  std::vector<std::string> fields{"", "pid"};  // the name, which may have blanks, ends in ")"
  fields.insert(
      fields.end(), std::istream_iterator<std::string>(text), std::istream_iterator<std::string>());
  return fields.size() > env_end && fields[start_code].size() > 1 &&
         fields[env_start] == fields[env_end];
}

}  // namespace

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing changes it
  return value == nullptr ? "" : value;
}

std::string read_environment(int process) {
  const std::filesystem::path folder = "/proc/" + std::to_string(process);
  std::string environment = read_system_file(folder / "environ");
  int looks_with_arguments = 0;
  for (int tries = 0; environment.empty() && tries < 2000; ++tries) {
    std::error_code error;
    if (std::filesystem::read_symlink(folder / "exe", error).empty()) {
      break;  // it runs no program, or is not ours to look at
    }
    // A kernel that hides the addresses is believed after as many looks at arguments.
    looks_with_arguments += read_system_file(folder / "cmdline").empty() ? 0 : 1;
    if (has_no_variable(folder) || looks_with_arguments == 100) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    environment = read_system_file(folder / "environ");
  }
  return environment;
}

}  // namespace scalestudy
