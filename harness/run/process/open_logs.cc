#include "harness/run/process/open_logs.h"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/run/process/process_launcher.h"
#include "harness/run/process/trial_files.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// How the names of logs begin: of a trial, of its nodes, of what runs beside it and before all.
constexpr auto kLogNames = std::to_array<std::string_view>({"stdout",
                                                            "stderr",
                                                            "protocol.jsonl",
                                                            "setup.",
                                                            "cleanup.",
                                                            "nccl",
                                                            "build-",
                                                            "version.",
                                                            "file-"});

constexpr std::string_view kMark = "unmasked-";    // before the name of the folder
constexpr std::string_view kOldMark = "unmasked";  // of earlier versions: has that name as its text

fs::path mark_of(const fs::path& results, const std::string& study, const std::string& name) {
  return results / "logs" / study / (std::string(kMark) + name);
}

// Gives its user these permissions of a folder, or of a file that has no other name.
void permit(const fs::path& path, mode_t mode) {
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && (status.st_mode & mode) != mode &&
      (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && status.st_nlink == 1))) {
    chmod(path.c_str(), (status.st_mode & 07777U) | mode);
  }
}

std::vector<fs::path> entries_of_real(const fs::path& folder) {
  return is_real_folder(folder) ? entries_of(folder) : std::vector<fs::path>();
}

// Also what a program wrote to {trial_folder} under such a name.
std::vector<fs::path> logs_in(const fs::path& folder) {
  std::vector<fs::path> logs;
  if (!is_real_folder(folder)) {
    return logs;
  }
  for (const fs::path& part : {folder, folder / kOwnFolder}) {
    std::ranges::copy_if(entries_of_real(part), std::back_inserter(logs), [](const fs::path& path) {
      return is_log_name(path.filename().string());
    });
  }
  return logs;
}

// What logs_in() leaves out of {trial_folder}: files of any depth that are no larger than a kept
// one.
std::vector<fs::path> other_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  const fs::path own = folder / kOwnFolder;
  std::error_code ignored;
  if (!is_real_folder(folder) || !is_real_folder(own)) {
    return files;
  }
  for (fs::recursive_directory_iterator at(
           own, fs::directory_options::skip_permission_denied, ignored);
       at != fs::recursive_directory_iterator();
       at.increment(ignored)) {
    std::error_code error;
    const bool is_log = at.depth() == 0 && is_log_name(at->path().filename().string());
    if (!is_log && at->symlink_status(error).type() == fs::file_type::regular &&
        at->file_size(error) <= kMostKept) {
      files.push_back(at->path());
    }
  }
  return files;
}

bool has_logs(const fs::path& folder) {
  permit(folder, S_IRWXU);
  return !logs_in(folder).empty();
}

std::vector<fs::path> left_marks(const fs::path& results) {
  std::vector<fs::path> marks;
  for (const fs::path& study : entries_of(results / "logs")) {
    std::ranges::copy_if(
        entries_of_real(study), std::back_inserter(marks), [](const fs::path& path) {
          const std::string name = path.filename().string();
          return name == kOldMark || name.starts_with(kMark);
        });
  }
  return marks;
}

std::string marked_folder(const fs::path& mark) {
  std::string name = mark.filename().string();
  // An old mark's text may be a trial's: a name alone stays within the folder.
  name =
      name == kOldMark ? fs::path(read_tail(mark)).filename().string() : name.substr(kMark.size());
  return name.empty() ? "." : name;
}

}  // namespace

OpenLogs::OpenLogs(const fs::path& results, const Study& study, const std::string& name)
    : OpenLogs(results, study.name, name, secret_values(study), secret_prints(study)) {}

OpenLogs::OpenLogs(const fs::path& results,
                   const std::string& study,
                   const std::string& name,
                   std::vector<std::string> secrets,
                   const std::string& prints)
    : results_(fs::absolute(results)),
      mark_(mark_of(results_, study, name)),
      folder_(name == "." ? mark_.parent_path() : mark_.parent_path() / name),
      secrets_(std::move(secrets)) {
  store_mark(results_);  // throws where the folder is away: it must not be made anew
  reopen();
  if (!shown_secrets(results_, study, name, secrets_).empty()) {
    for (const fs::path& log : logs_in(folder_)) {  // close() could not mask them
      remove_tree(log);
    }
    if (is_real_folder(folder_)) {
      remove_tree(folder_ / kOwnFolder);
    }
  }
  std::error_code ignored;
  const bool is_made = create_private_folder(mark_.parent_path(), ignored);
  if (!secrets_.empty() && !(is_made && replace_log(mark_, prints))) {
    const int error = errno;
    throw Error(ErrorKind::kStore,
                fmt::format("{}: {}. This file must be written before a trial that has secrets; "
                            "free space, or check permissions",
                            mark_.string(),
                            std::generic_category().message(error)));
  }
}

OpenLogs::~OpenLogs() {
  try {
    close_unfinished();
  } catch (const std::exception&) {  // no memory for a log: the mark stays, for the next run
  }
}

void OpenLogs::reopen() const {
  fs::path path = results_;
  permit(path, S_IRWXU);
  for (const fs::path& part : folder_.lexically_relative(results_)) {
    path /= part;
    if (!is_real_folder(path)) {
      return;
    }
    permit(path, S_IRWXU);
  }
  permit(folder_ / kOwnFolder, S_IRWXU);
  for (const fs::path& log : logs_in(folder_)) {
    permit(log, S_IRUSR | S_IWUSR);
  }
}

std::vector<std::string> OpenLogs::close() {
  std::vector<std::string> losses;
  if (is_closed_) {
    return losses;
  }
  reopen();
  for (const fs::path& log : logs_in(folder_)) {
    if (std::string loss = keep_log(log, secrets_); !loss.empty()) {
      losses.push_back(std::move(loss));
    }
  }
  is_closed_ = true;
  std::error_code ignored;
  fs::remove(mark_, ignored);
  return losses;
}

std::vector<std::string> OpenLogs::close_unfinished() {
  std::vector<std::string> losses;
  if (!is_closed_ && !secrets_.empty()) {
    reopen();
    for (const fs::path& file : other_files_in(folder_)) {
      permit(file, S_IRUSR | S_IWUSR);
      if (std::string loss = keep_log(file, secrets_); !loss.empty()) {
        losses.push_back(std::move(loss));
      }
    }
  }
  std::ranges::move(close(), std::back_inserter(losses));
  return losses;
}

bool is_log_name(std::string_view name) {
  return std::ranges::any_of(kLogNames,
                             [&](std::string_view start) { return name.starts_with(start); });
}

bool has_left_logs(const fs::path& results) {
  return !left_marks(results).empty();
}

std::vector<std::string> shown_secrets(const fs::path& results,
                                       const std::string& study,
                                       const std::string& name,
                                       const std::vector<std::string>& secrets) {
  return unknown_secrets(read_tail(mark_of(results, study, name)), secrets);
}

std::map<fs::path, std::string> close_left_logs(const fs::path& results,
                                                const std::vector<std::string>& secrets) {
  std::map<fs::path, std::string> left;
  for (const fs::path& mark : left_marks(results)) {
    const fs::path study = mark.parent_path();
    const std::string name = marked_folder(mark);
    const fs::path folder = name == "." ? study : study / name;
    const std::string prints = read_tail(mark);
    const std::vector<std::string> unknown = unknown_secrets(prints, secrets);
    const bool is_open = name != ".." && has_logs(folder);  // somebody may have removed them
    if (is_open && !unknown.empty()) {
      left[folder] = join(unknown, " and ") + " had another value in it";
    } else if (is_open && secrets.empty()) {
      left[folder] = "no study names their secret now";
    } else {
      if (is_open) {
        OpenLogs(results, study.filename().string(), name, secrets, prints).close_unfinished();
      }
      std::error_code ignored;
      fs::remove(mark, ignored);
    }
  }
  return left;
}

}  // namespace scalestudy
