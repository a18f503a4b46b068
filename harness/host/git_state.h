// Which commit a folder's files are of.
#pragma once

#include <filesystem>
#include <string>

namespace scalestudy {

// The commit's hash, with "-dirty" where files that git knows differ from it; "" where the folder
// is in no git repository, or git is missing.
std::string git_state(const std::filesystem::path& folder);

}  // namespace scalestudy
