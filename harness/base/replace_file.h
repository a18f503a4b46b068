// A file written whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace scalestudy {

// Whoever reads the file, also after a crash or on a full disk, has all of the old one or all of
// the new one; folders that are missing are made. Throws Error{kStore} when it cannot be written.
void replace_file(const std::filesystem::path& path, const std::string& content);

// Whether a path that somebody else wrote is relative and never leaves the folder it is in.
bool stays_inside(const std::filesystem::path& path);

// Whether a folder between `folder` and the last part of `inside` is a link: what is written or
// removed there would lie elsewhere. Throws nothing.
bool leads_through_link(const std::filesystem::path& folder, const std::filesystem::path& inside);

// Throws Error{kUsage} where it does.
void require_no_link(const std::filesystem::path& folder, const std::filesystem::path& inside);

}  // namespace scalestudy
