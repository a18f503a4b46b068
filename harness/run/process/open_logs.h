// Logs while programs of a study write to them, and what is kept of them after.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/study/declared/study.h"

namespace scalestudy {

// The logs of the folder logs/STUDY/NAME, "." for logs/STUDY itself. Programs write to them, so
// that they hold the study's secrets as they are, readable by their user alone. close(), or
// close_unfinished() by the destructor, closes them: capped, and without the secrets. Until then
// logs/STUDY/unmasked-NAME marks the folder and has secret_prints(), so that the next run closes
// what a killed one left.
class OpenLogs {
 public:
  // Makes logs/STUDY, and removes logs in the folder that have shown_secrets(). Throws
  // Error{kStore} when `results` is gone, which is not made anew, or the mark cannot be written.
  OpenLogs(const std::filesystem::path& results, const Study& study, const std::string& name);
  OpenLogs(const std::filesystem::path& results,
           const std::string& study,
           const std::string& name,
           std::vector<std::string> secrets,
           const std::string& prints = "");
  OpenLogs(const OpenLogs&) = delete;
  OpenLogs& operator=(const OpenLogs&) = delete;
  ~OpenLogs();

  // For the program's end: gives folders and logs back to the user if it closed them (chmod 000).
  void reopen() const;

  // Caps the logs and takes the secrets out. Returns a sentence for each log that lost something.
  std::vector<std::string> close();

  // close() for an attempt that did not end ok: also takes the secrets out of all that it wrote to
  // {trial_folder} in files of up to kMostKept.
  std::vector<std::string> close_unfinished();

 private:
  std::filesystem::path results_;
  std::filesystem::path mark_;
  std::filesystem::path folder_;
  std::vector<std::string> secrets_;
  bool is_closed_ = false;
};

// Whether a file of that name in the folder of a trial is one of its logs: also those that no row
// of the store names, of setup and cleanup and of the files that rules read.
bool is_log_name(std::string_view name);

// Whether a killed run left logs open in the folder, of whichever study.
bool has_left_logs(const std::filesystem::path& results);

// The names of the secrets that logs of the folder logs/STUDY/NAME still show if only `secrets` are
// masked in them: they are open, and were opened with other values of these. None once they are
// closed.
std::vector<std::string> shown_secrets(const std::filesystem::path& results,
                                       const std::string& study,
                                       const std::string& name,
                                       const std::vector<std::string>& secrets);

// Closes the logs that a killed run left open, with these secrets taken out. For the holder of the
// lock of `results`, once no process of that run is left. Logs that would still show a secret stay
// open; returns their folders, and why.
std::map<std::filesystem::path, std::string> close_left_logs(
    const std::filesystem::path& results, const std::vector<std::string>& secrets);

}  // namespace scalestudy
