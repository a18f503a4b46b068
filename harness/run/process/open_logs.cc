#include "harness/run/process/open_logs.h"

#include <algorithm>
#include <array>
#include <exception>
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

constexpr const char* kMark = "unmasked";

// Gives its user these permissions of a folder, or of a file that has no other name.
void permit(const fs::path& path, mode_t mode) {
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && (status.st_mode & mode) != mode &&
      (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && status.st_nlink == 1))) {
    chmod(path.c_str(), (status.st_mode & 07777U) | mode);
  }
}

std::vector<fs::path> logs_in(const fs::path& folder) {
  std::vector<fs::path> logs;
  for (const fs::path& path : entries_of(folder)) {
    if (is_log_name(path.filename().string())) {
      logs.push_back(path);
    }
  }
  return logs;
}

// What a mark says: the folder's name, and secret_prints() of the run that opened its logs.
struct Mark {
  std::string name;
  std::string prints;
};

Mark read_mark(const fs::path& path) {
  const std::string text = read_tail(path);
  const std::size_t end = std::min(text.find('\n'), text.size());
  // It may be a trial's: a name alone stays within the folder.
  const std::string name = fs::path(text.substr(0, end)).filename().string();
  return {.name = name.empty() ? "." : name, .prints = text.substr(end)};
}

std::vector<fs::path> left_marks(const fs::path& results) {
  std::vector<fs::path> marks;
  for (const fs::path& study : entries_of(results / "logs")) {
    std::error_code ignored;
    if (is_real_folder(study) && fs::exists(fs::symlink_status(study / kMark, ignored))) {
      marks.push_back(study / kMark);
    }
  }
  return marks;
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
      parent_(results_ / "logs" / study),
      folder_(name == "." ? parent_ : parent_ / name),
      secrets_(std::move(secrets)) {
  store_mark(results_);  // throws where the folder is away: it must not be made anew
  reopen();
  std::error_code ignored;
  const bool is_made = create_private_folder(parent_, ignored);
  if (!secrets_.empty() && !(is_made && replace_log(parent_ / kMark, name + "\n" + prints))) {
    const int error = errno;
    throw Error(ErrorKind::kStore,
                fmt::format("{}: {}. This file must be written before a trial that has secrets; "
                            "free space, or check permissions",
                            (parent_ / kMark).string(),
                            std::generic_category().message(error)));
  }
}

OpenLogs::~OpenLogs() {
  try {
    close();
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
  if (is_real_folder(folder_)) {
    for (const fs::path& log : logs_in(folder_)) {
      if (std::string loss = keep_log(log, secrets_); !loss.empty()) {
        losses.push_back(std::move(loss));
      }
    }
  }
  is_closed_ = true;
  std::error_code ignored;
  fs::remove(parent_ / kMark, ignored);
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
  const Mark mark = read_mark(results / "logs" / study / kMark);
  return mark.name == name ? unknown_secrets(mark.prints, secrets) : std::vector<std::string>();
}

std::vector<std::string> close_left_logs(const fs::path& results,
                                         const std::vector<std::string>& secrets) {
  std::vector<std::string> left;
  for (const fs::path& path : left_marks(results)) {
    const Mark mark = read_mark(path);
    const std::vector<std::string> unknown = unknown_secrets(mark.prints, secrets);
    if (!unknown.empty()) {
      left.push_back(join(unknown, " and ") + " had another value in it");
    } else if (secrets.empty()) {
      left.emplace_back("no study names their secret now");
    } else if (mark.name != "..") {
      OpenLogs(results, path.parent_path().filename().string(), mark.name, secrets, mark.prints)
          .close();
    }
  }
  return left;
}

}  // namespace scalestudy
