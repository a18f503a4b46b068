// What git says of a folder and its commits.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

// The commit's hash, with "-dirty" where files that git knows differ from it; "" where the folder
// is in no git repository, or git is missing.
std::string git_state(const std::filesystem::path& folder);

struct GitAnswer {
  int exit_code = -1;  // 0: done
  std::string output;  // stdout, of a failure stderr; without the last line break
};

// Runs `git -C folder ARGUMENTS...`. Variables that would have git take another repository for the
// folder's (GIT_DIR, as hooks set it) are left out.
GitAnswer run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

// The top of the repository that the folder is in; absent where it is in none, or git is missing.
std::optional<std::filesystem::path> git_top(const std::filesystem::path& folder);

// The full hash of what git takes for a commit ("v1.2", "HEAD~3"); absent when it is none.
std::optional<std::string> find_commit(const std::filesystem::path& folder,
                                       const std::string& commit);

}  // namespace scalestudy
