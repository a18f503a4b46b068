// The files that extract rules read: as a trial leaves them, and as they are kept with its logs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/run/outcome/extract.h"
#include "harness/run/process/trial_files.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

class ResultFiles {
 public:
  // Looks at the files before the trial starts, to know afterwards whether it wrote them.
  // - working_folder: of the command, which relative paths are below; "": the harness's own.
  ResultFiles(const Study& study,
              const Cell& cell,
              const TrialFiles& trial,
              const std::string& working_folder);

  // The files when the trial has ended. One that is missing, or is still the one from before, has
  // its problem.
  std::vector<ResultFile> open() const;

  // Copies those outside {trial_folder} to the logs, for a later reading; OpenLogs masks secrets
  // there. Masks those within it that are no larger than a kept log. Returns a sentence for each
  // that is not kept.
  std::vector<std::string> keep(const std::vector<std::string>& secrets) const;

 private:
  struct Watched {
    std::string declared;
    std::filesystem::path path;
    std::string mark;  // of the file before the trial; "": there was none
  };

  std::filesystem::path folder_;  // of the trial's logs
  std::filesystem::path own_;     // {trial_folder}
  std::vector<Watched> files_;
};

// The files as they were kept in the folder of a trial's logs.
std::vector<ResultFile> open_kept_files(const Study& study,
                                        const Cell& cell,
                                        const std::filesystem::path& logs_folder);

// How the names of kept files begin.
inline constexpr const char* kKeptFile = "file-";

// The name under which a file with this declared path is kept.
std::string kept_name(const std::string& declared);

}  // namespace scalestudy
