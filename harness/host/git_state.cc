#include "harness/host/git_state.h"

#include <array>
#include <cstdio>

#include <sys/wait.h>

namespace scalestudy {
namespace {

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + "'";
}

}  // namespace

GitAnswer run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  std::string command = "env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE LC_ALL=C git -C " +
                        quoted(folder.string());
  for (const std::string& argument : arguments) {
    command += " " + quoted(argument);
  }
  GitAnswer answer;
  // NOLINTNEXTLINE(cert-env33-c): every word is quoted
  std::FILE* output = popen((command + " 2>&1 </dev/null").c_str(), "r");
  if (output == nullptr) {
    return answer;
  }
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), output) != nullptr) {
    answer.output += part.data();
  }
  const int status = pclose(output);
  answer.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  while (answer.output.ends_with('\n')) {
    answer.output.pop_back();
  }
  return answer;
}

std::string git_state(const std::filesystem::path& folder) {
  const GitAnswer answer =
      run_git(folder, {"describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"});
  return answer.exit_code == 0 ? answer.output.substr(0, answer.output.find('\n')) : "";
}

std::optional<std::filesystem::path> git_top(const std::filesystem::path& folder) {
  const GitAnswer answer = run_git(folder, {"rev-parse", "--show-toplevel"});
  return answer.exit_code == 0 ? std::optional<std::filesystem::path>(answer.output) : std::nullopt;
}

std::optional<std::string> find_commit(const std::filesystem::path& folder,
                                       const std::string& commit) {
  const GitAnswer answer = run_git(
      folder, {"rev-parse", "--verify", "--quiet", "--end-of-options", commit + "^{commit}"});
  return answer.exit_code == 0 ? std::optional(answer.output) : std::nullopt;
}

}  // namespace scalestudy
