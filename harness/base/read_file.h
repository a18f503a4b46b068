// Reads whole files as text.
#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>

namespace scalestudy {

// The content of a file; absent if it cannot be opened, and for a folder, a named pipe or a socket.
// Throws Error{kUsage} if reading fails before the end, and for more than 64 MiB (such as
// /dev/zero).
std::optional<std::string> read_file(const std::filesystem::path& path);

// Why read_file() returned nothing, for a message: "there is no such file", "it is a folder", ...
std::string why_unread(const std::filesystem::path& path);

// The content of a file that a user named. Throws Error{kUsage} also if it is absent, and says why.
std::string read_given_file(const std::filesystem::path& path);

// The content of a file in /proc or /sys; "" if it cannot be read, for instance because its process
// has ended or its link is down.
std::string read_system_file(const std::filesystem::path& path);

// The rest of an open stream, with the errors of read_file(), in which it is called `name`.
std::string read_stream(std::istream& stream, const std::string& name);

// Throws Error{kUsage} if reading `stream` stopped because of an error (a broken disk, no memory)
// instead of at its end. std::getline() itself does not tell these apart.
void require_read(const std::istream& stream, const std::string& name);

}  // namespace scalestudy
