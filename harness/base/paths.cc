// Finds files of the product for a build tree and for an installed one.
#include "harness/base/paths.h"

#include <cerrno>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/build_info.h"
#include "harness/base/error.h"
#include "harness/base/read_environment.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// The first of these that exists. Otherwise throws `problem` and the list of places.
fs::path first_existing(const std::vector<fs::path>& candidates, const std::string& problem) {
  std::string places;
  for (const fs::path& candidate : candidates) {
    std::error_code ignored;
    if (fs::exists(candidate, ignored)) {
      return candidate;
    }
    places += "\n  " + candidate.string();
  }
  throw Error(ErrorKind::kMachine, fmt::format("{}:{}", problem, places));
}

}  // namespace

fs::path executable_path() {
  return fs::read_symlink("/proc/self/exe");
}

fs::path shared_file(const std::string& relative) {
  std::vector<fs::path> candidates;
  if (const std::string share = environment_variable("SCALESTUDY_SHARE"); !share.empty()) {
    candidates.push_back(fs::path(share) / relative);
  }
  candidates.push_back(executable_path().parent_path().parent_path() / "share/scalestudy" /
                       relative);
  candidates.push_back(fs::path(build_info().source_dir) / relative);
  return first_existing(candidates, relative + " not found; looked for");
}

fs::path workload_program(const std::string& workload) {
  const std::string name = "scalestudy-" + workload;
  std::vector<fs::path> candidates;
  if (const std::string folder = environment_variable("SCALESTUDY_WORKLOADS"); !folder.empty()) {
    candidates.push_back(fs::path(folder) / name);
  } else {
    candidates.push_back(executable_path().parent_path() / name);
  }
  return first_existing(
      candidates,
      fmt::format("{} not found. The Python package does not have it, because it must match this "
                  "machine's MPI. Install the Debian package, or build it (./dev setup, ./dev "
                  "build) and set SCALESTUDY_WORKLOADS to its folder. Looked for",
                  name));
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored); at != fs::directory_iterator();
       at.increment(ignored)) {
    entries.push_back(at->path());
  }
  return entries;
}

bool is_real_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

bool remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error && is_real_folder(path)) {
    fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, error);
    for (const fs::path& entry : entries_of(path)) {
      remove_tree(entry);
    }
    fs::remove(path, error);
  }
  return !error;
}

bool create_private_folder(const fs::path& folder, std::error_code& error) {
  fs::path made;
  for (const fs::path& part : folder) {
    made /= part;
    if (!fs::is_directory(made, error) && mkdir(made.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      error = std::error_code(errno, std::generic_category());
      return false;
    }
  }
  const bool is_made = fs::is_directory(folder, error);
  if (!is_made && !error) {  // something else has its name
    error = std::make_error_code(std::errc::not_a_directory);
  }
  return is_made;
}

std::optional<fs::path> find_program(const std::string& program) {
  const bool is_path = program.find('/') != std::string::npos;
  std::istringstream folders(is_path ? "/" : environment_variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file =
        is_path ? fs::path(program) : fs::path(folder.empty() ? "." : folder) / program;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) {
      return file;
    }
  }
  return std::nullopt;
}

}  // namespace scalestudy
