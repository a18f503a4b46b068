// The folder of a site: what may be written and removed in it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/report/report.h"

namespace scalestudy::report {

// What write_site() changed.
struct SiteChange {
  std::size_t written = 0;  // files that are new or changed
  std::size_t removed = 0;  // files of the earlier site that this one does not have
};

// Throws Error{kUsage} where nothing may be written: in a folder that holds something but no site,
// and one whose site.txt is no list of a site.
void require_site_folder(const std::filesystem::path& folder);

// Writes the files, each whole or not at all, linked pages before those that link to them; then
// removes what an earlier site had here and this one does not. site.txt lists the site's files, and
// every other file of the folder is left alone. If writing ends early, the next call completes it.
// Throws as require_site_folder() does, and Error{kStore} when the folder cannot be written.
SiteChange write_site(const ReportFiles& files, const std::filesystem::path& folder);

// Sorted paths of the files in `folder` that are missing, differ from `files`, or are of an earlier
// site and no longer made.
std::vector<std::string> differing_site_files(const ReportFiles& files,
                                              const std::filesystem::path& folder);

}  // namespace scalestudy::report
