// Where the product's own files are: data/, templates/ and the workload programs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

// Path of the running executable, symbolic links resolved.
std::filesystem::path executable_path();

// A file of the product, e.g. shared_file("data/study.schema.json").
// Looked for in $SCALESTUDY_SHARE, then <prefix>/share/scalestudy of the installed executable, then
// the source tree it was built from. Throws Error{kMachine} naming the places when it is nowhere.
std::filesystem::path shared_file(const std::string& relative);

// A workload program, e.g. workload_program("train"): $SCALESTUDY_WORKLOADS/scalestudy-train, and
// only without that variable beside the executable: who names a folder must not get the programs of
// another build. Throws Error{kMachine} naming the places and how to build it.
std::filesystem::path workload_program(const std::string& workload);

// The executable file that a shell would start for `program`: itself where it holds a slash, else
// looked for in PATH. Absent when there is none.
std::optional<std::filesystem::path> find_program(const std::string& program);

// What is in a folder, as far as it can be looked at.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// Whether it is a folder itself, and no link to one.
bool is_real_folder(const std::filesystem::path& path);

// Removes a file, or a folder with all in it, also with folders that a program closed (chmod 000).
// False when something stays.
bool remove_tree(const std::filesystem::path& path);

// Makes the folder and those above it that are missing, for this user alone (0700); what exists
// keeps its permissions. False with `error` when it cannot be made.
bool create_private_folder(const std::filesystem::path& folder, std::error_code& error);

}  // namespace scalestudy
