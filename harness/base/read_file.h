// A file as text.
#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>

namespace scalestudy {

// All that can be read from it; absent for a folder and for what cannot be opened. Throws
// Error{kUsage} for what is longer than 64 MiB, or has no end (/dev/zero).
std::optional<std::string> read_file(const std::filesystem::path& path);

// The same from an open stream, called `name` in the error.
std::string read_stream(std::istream& stream, const std::string& name);

}  // namespace scalestudy
