// Small files of /proc and /sys as text.
#pragma once

#include <filesystem>
#include <string>

namespace scalestudy {

// The whole file; empty when it cannot be read.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace scalestudy
