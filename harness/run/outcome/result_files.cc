#include "harness/run/outcome/result_files.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

#include "harness/base/hash.h"
#include "harness/study/matrix/command.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> declared_files(const Study& study) {
  std::vector<std::string> files;
  for (const ExtractRule& rule : study.extract) {
    if (!rule.file.empty() && std::ranges::find(files, rule.file) == files.end()) {
      files.push_back(rule.file);
    }
  }
  return files;
}

bool is_in_trial_folder(const std::string& declared) {
  return declared.starts_with(kTrialFolder);
}

// The path in a cell, with the trial's folder in place of its placeholder.
fs::path path_of(const std::string& declared, const Cell& cell, const fs::path& trial_folder) {
  const std::string path = expand_argument(declared, cell);
  return path.starts_with(kTrialFolder)
             ? trial_folder.string() + path.substr(std::string_view(kTrialFolder).size())
             : path;
}

// What changes when a file is written, or another takes its place; "" if there is no regular file.
std::string mark_of(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)
             ? ""
             : fmt::format("{} {} {}.{} {}.{}",
                           status.st_ino,
                           status.st_size,
                           status.st_mtim.tv_sec,
                           status.st_mtim.tv_nsec,
                           status.st_ctim.tv_sec,
                           status.st_ctim.tv_nsec);
}

// Whether a path in the trial's folder stays there: what a link leads to, a later trial may write
// again.
bool stays_in(const fs::path& folder, const fs::path& path) {
  std::error_code ignored;
  const fs::path from = fs::canonical(folder, ignored);
  const fs::path to = fs::canonical(path, ignored);
  return !from.empty() &&
         std::mismatch(from.begin(), from.end(), to.begin(), to.end()).first == from.end();
}

ResultFile open_file(const std::string& declared, const fs::path& path) {
  auto text = std::make_unique<std::ifstream>();
  if (!mark_of(path).empty()) {  // a pipe would be waited for
    text->open(path, std::ios::binary);
  }
  ResultFile file{.declared = declared};
  if (!text->is_open()) {
    file.problem = "cannot be opened";
  }
  file.text = std::move(text);
  return file;
}

}  // namespace

ResultFiles::ResultFiles(const Study& study,
                         const Cell& cell,
                         const TrialFiles& trial,
                         const std::string& working_folder)
    : folder_(trial.results / trial.folder), own_(trial.own_folder()) {
  for (const std::string& declared : declared_files(study)) {
    const fs::path path =
        fs::absolute(working_folder.empty() ? "." : working_folder) / path_of(declared, cell, own_);
    files_.push_back({declared, path, mark_of(path)});
  }
}

std::vector<ResultFile> ResultFiles::open() const {
  std::vector<ResultFile> files;
  for (const Watched& watched : files_) {
    const std::string mark = mark_of(watched.path);
    if (is_in_trial_folder(watched.declared) && !mark.empty() && !stays_in(own_, watched.path)) {
      files.push_back({.declared = watched.declared,
                       .problem = fmt::format("is not in the trial's folder, {} leads out of it: "
                                              "give the rule the path that the command writes",
                                              watched.path.string())});
      continue;
    }
    if (!mark.empty() && mark != watched.mark) {
      files.push_back(open_file(watched.declared, watched.path));
      continue;
    }
    files.push_back(
        {.declared = watched.declared,
         .problem = mark.empty()
                        ? fmt::format("was not written: there is no regular file {}",
                                      watched.path.string())
                        : fmt::format("was not written by this trial: {} is from before it",
                                      watched.path.string())});
  }
  return files;
}

std::vector<std::string> ResultFiles::keep(const std::vector<std::string>& secrets) const {
  std::vector<std::string> losses;
  for (const Watched& watched : files_) {
    const std::string mark = mark_of(watched.path);
    if (mark.empty() || mark == watched.mark) {
      continue;
    }
    const std::string name = kept_name(watched.declared);
    std::error_code error;
    const std::uintmax_t size = fs::file_size(watched.path, error);
    if (is_in_trial_folder(watched.declared)) {
      if (!error && size <= kMostKept && stays_in(own_, watched.path)) {
        keep_log(fs::canonical(watched.path, error), secrets);
      }
      continue;
    }
    if (!error && size <= kMostKept) {
      fs::copy_file(watched.path, folder_ / name, fs::copy_options::overwrite_existing, error);
      fs::permissions(folder_ / name, fs::perms::owner_read | fs::perms::owner_write, error);
    }
    if (error || size > kMostKept) {
      losses.push_back(fmt::format("all bytes of {} {}: {} {}",
                                   name,
                                   kLeftOut,
                                   watched.path.string(),
                                   error ? "cannot be copied" : "is larger than 32 MiB"));
    }
  }
  return losses;
}

std::vector<ResultFile> open_kept_files(const Study& study,
                                        const Cell& cell,
                                        const fs::path& logs_folder) {
  std::vector<ResultFile> files;
  for (const std::string& declared : declared_files(study)) {
    fs::path path = logs_folder / kept_name(declared);
    if (is_in_trial_folder(declared)) {
      path = path_of(declared, cell, logs_folder / kOwnFolder);
      // A trial of an older version wrote beside its logs.
      path = mark_of(path).empty() ? path_of(declared, cell, logs_folder) : path;
    }
    files.push_back(stays_in(logs_folder, path)
                        ? open_file(declared, path)
                        : ResultFile{.declared = declared, .problem = "is not among the logs"});
  }
  return files;
}

std::string kept_name(const std::string& declared) {
  constexpr std::size_t digits = 8;
  return kKeptFile + text_hash(declared).substr(0, digits);
}

}  // namespace scalestudy
