// What git says of a folder and its commits.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

// The hash of the folder's commit, with "-dirty" if files that git tracks differ from it; "" if the
// folder is in no git repository, nothing is committed, or git is missing.
std::string git_state(const std::filesystem::path& folder);

struct GitAnswer {
  int exit_code = -1;  // 0: done
  std::string output;  // stdout, after a failure stderr; without the last line break
};

// Runs `git -C folder ARGUMENTS...`, without the variables that make git use another repository
// than the folder's (GIT_DIR, as hooks set it).
GitAnswer run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

// The top folder of the repository that `folder` is in; absent if it is in none, or git is missing.
std::optional<std::filesystem::path> git_top(const std::filesystem::path& folder);

// The full hash of a commit by its name ("v1.2", "HEAD~3"); absent when git knows none.
std::optional<std::string> find_commit(const std::filesystem::path& folder,
                                       const std::string& commit);

}  // namespace scalestudy
