// A file as text.
#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>

namespace scalestudy {

// A file to its end; absent for a folder, a named pipe or a socket, and for what cannot be opened.
// Throws Error{kUsage} where reading fails before the end, and for what is longer than 64 MiB, or
// has no end (/dev/zero).
std::optional<std::string> read_file(const std::filesystem::path& path);

// The same of /proc and /sys; empty also where reading fails, as it does once a process has ended
// or while a link is down.
std::string read_system_file(const std::filesystem::path& path);

// As read_file() from an open stream, called `name` in the error.
std::string read_stream(std::istream& stream, const std::string& name);

// Throws Error{kUsage} where reading ended by an error (a broken disk, no memory) and not at the
// end, which std::getline() does not tell apart.
void require_read(const std::istream& stream, const std::string& name);

}  // namespace scalestudy
