// Real processes for tests: a temporary folder, shell scripts in it, and the search for what is
// left.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/read_environment.h"
#include "tests/support/program.h"

namespace scalestudy::test {

class TrialFolder : public test::TemporaryFolder {
 public:
  // Writes an executable shell script and returns its path.
  std::string script(const std::string& name, const std::string& body) const {
    const std::filesystem::path file = path() / name;
    std::ofstream(file) << "#!/bin/sh\n" << body;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }
};

// Ids of the processes that were started with `entry` ("NAME=value") in their environment.
inline std::vector<int> processes_with(const std::string& entry) {
  std::vector<int> found;
  for (const auto& folder : std::filesystem::directory_iterator("/proc")) {
    const std::string name = folder.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    const std::string environment = std::string(1, '\0') + read_environment(std::stoi(name));
    if (environment.find(std::string(1, '\0') + entry + std::string(1, '\0')) !=
        std::string::npos) {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

// Waits until `condition` holds; false when it does not within `timeout_s`.
template <typename Condition>
bool wait_until(Condition condition, double timeout_s) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace scalestudy::test
