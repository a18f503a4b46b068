// A file as text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace scalestudy {

// All that can be read from it; absent for a folder and for what cannot be opened.
std::optional<std::string> read_file(const std::filesystem::path& path);

}  // namespace scalestudy
