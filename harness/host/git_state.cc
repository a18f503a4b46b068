#include "harness/host/git_state.h"

#include <algorithm>

#include "harness/base/tool.h"
#include "harness/text/text.h"

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

// `git describe` would read all commits in search of tags.
std::string git_state(const std::filesystem::path& folder) {
  const GitAnswer answer = run_git(folder,
                                   {"--no-optional-locks",
                                    "status",
                                    "--porcelain=v2",
                                    "--branch",
                                    "--no-ahead-behind",
                                    "--no-renames",
                                    "--untracked-files=no"});
  const std::string head = "# branch.oid ";
  const std::vector<std::string> lines = split(answer.output, "\n");
  const auto commit =
      std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(head); });
  if (answer.exit_code != 0 || commit == lines.end() || commit->ends_with("(initial)")) {
    return "";
  }
  const bool is_dirty =
      std::ranges::any_of(lines, [](const std::string& line) { return !line.starts_with("#"); });
  return commit->substr(head.size()) + (is_dirty ? "-dirty" : "");
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
