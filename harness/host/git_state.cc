#include "harness/host/git_state.h"

#include "harness/base/tool.h"

namespace scalestudy {

GitAnswer run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  constexpr ToolLimits limits{.timeout_s = 600.0};  // a checkout of many files
  std::vector<std::string> command{"env",
                                   "-u",
                                   "GIT_DIR",
                                   "-u",
                                   "GIT_WORK_TREE",
                                   "-u",
                                   "GIT_INDEX_FILE",
                                   "LC_ALL=C",
                                   "git",
                                   "-C",
                                   folder.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ToolResult git = run_tool(command, "", limits);
  GitAnswer answer{.exit_code = git.exit_code, .output = git.is_ok() ? git.output : git.errors};
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
