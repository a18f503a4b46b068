// Finds the product's own files (data/, templates/, workload programs), and handles folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

// Path of the running executable, symbolic links resolved.
std::filesystem::path executable_path();

// A file of the product, e.g. shared_file("data/study.schema.json").
// Looks in $SCALESTUDY_SHARE, in <prefix>/share/scalestudy of the installed executable, and in the
// source tree of the build. Throws Error{kMachine}, which names these places, if it is in none.
std::filesystem::path shared_file(const std::string& relative);

// A workload program: workload_program("train") is $SCALESTUDY_WORKLOADS/scalestudy-train. Only if
// that variable is not set is it looked for beside the executable, so that a user who names a
// folder never gets the programs of another build. Throws Error{kMachine}, which says where it was
// looked for and how to build it, if it is not there.
std::filesystem::path workload_program(const std::string& workload);

// The executable file that a shell would start for `program`: the path itself if it contains a
// slash, else the first in PATH. Absent if there is none.
std::optional<std::filesystem::path> find_program(const std::string& program);

// The entries of a folder, as far as it can be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// Whether `path` is a folder and not a symbolic link to one.
bool is_real_folder(const std::filesystem::path& path);

// Removes a file, or a folder with everything in it, even folders without permissions (chmod 000).
// Returns false if something could not be removed.
bool remove_tree(const std::filesystem::path& path);

// Makes the folder and any missing parents, for this user alone (0700); existing folders keep their
// permissions. Returns false and sets `error` if it cannot be made.
bool create_private_folder(const std::filesystem::path& folder, std::error_code& error);

}  // namespace scalestudy
