// Writes files whole or not at all, and guards against paths that lead out of a folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace scalestudy {

// Why the file could not be written, by the errno's meaning, and what helps against that:
// "PATH: cannot be written (File name too long); choose a folder with a shorter path, ...".
std::string cannot_write(const std::filesystem::path& path, int error);

// Writes over what is there, into a pipe too. Returns 0, or the errno of what failed.
int overwrite(const std::filesystem::path& path, std::string_view content);

// Replaces the file atomically: a reader sees all of the old content or all of the new, even after
// a crash or on a full disk. Makes missing folders. Throws Error{kStore} if it cannot be written.
void replace_file(const std::filesystem::path& path, const std::string& content);

// Whether a path that somebody else wrote is relative and never leaves its folder through "..".
bool stays_inside(const std::filesystem::path& path);

// Whether a folder between `folder` and the last part of `inside` is a symbolic link, so that what
// is written or removed there would lie elsewhere. Throws nothing.
bool leads_through_link(const std::filesystem::path& folder, const std::filesystem::path& inside);

// Throws Error{kUsage} if leads_through_link().
void require_no_link(const std::filesystem::path& folder, const std::filesystem::path& inside);

}  // namespace scalestudy
