// Runs a program as a user would, and keeps what it printed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scalestudy::test {

// A folder of this test alone, removed at the end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    static std::atomic<int> count{0};
    do {  // another process of this number, if it was killed, has left its folder
      path_ =
          parent / ("scalestudy-test-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    } while (!std::filesystem::create_directory(path_));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The report.md at that path with the details.md beside it, if there is one.
inline std::string read_pages(const std::filesystem::path& report) {
  const std::filesystem::path details = report.parent_path() / "details.md";
  return read_file(report) + (std::filesystem::exists(details) ? read_file(details) : "");
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Where programs are looked for.
inline std::string search_path() {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): a test has one thread
  return path == nullptr ? "" : path;
}

struct ProgramResult {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

// Starts argv (argv[0] looked up in PATH) with `environment` ("NAME=value") added; stdin is
// `input`. Runs of one test program wait for each other's CPUs, not for those of other tests.
inline pid_t start_program(const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment,
                           const std::filesystem::path& in,
                           const std::filesystem::path& out,
                           const std::filesystem::path& err) {
  static const TemporaryFolder locks;
  std::vector<std::string> variables = environment;
  // Of two entries with one name shells and getenv pick different ones: keep ours alone.
  const auto is_replaced = [&](const std::string& entry) {
    const std::string name = entry.substr(0, entry.find('=') + 1);
    return std::any_of(environment.begin(), environment.end(), [&](const std::string& ours) {
      return ours.rfind(name, 0) == 0;
    });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_replaced(*entry)) {
      variables.emplace_back(*entry);
    }
  }
  if (std::none_of(variables.begin(), variables.end(), [](const std::string& entry) {
        return entry.rfind("SCALESTUDY_LOCKS=", 0) == 0;
      })) {
    variables.push_back("SCALESTUDY_LOCKS=" + locks.path().string());
  }
  std::vector<char*> arguments;
  for (const std::string& argument : argv) {
    arguments.push_back(const_cast<char*>(
        argument.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): C API
  }
  arguments.push_back(nullptr);
  std::vector<char*> strings;
  for (const std::string& variable : variables) {
    strings.push_back(const_cast<char*>(
        variable.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): C API
  }
  strings.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pid_t pid = 0;
  const int failed =
      posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), strings.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw std::runtime_error("cannot start " + argv.at(0));
  }
  return pid;
}

inline int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline ProgramResult run_program(const std::vector<std::string>& argv,
                                 const std::vector<std::string>& environment = {},
                                 const std::string& input = {}) {
  const TemporaryFolder folder;
  write_file(folder.file("in"), input);
  const pid_t pid = start_program(
      argv, environment, folder.path() / "in", folder.path() / "out", folder.path() / "err");
  ProgramResult result;
  result.exit_code = wait_for(pid);
  result.out = read_file(folder.path() / "out");
  result.err = read_file(folder.path() / "err");
  return result;
}

}  // namespace scalestudy::test
