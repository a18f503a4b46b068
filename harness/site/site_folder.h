// The folder that a site lies in: what may be written there, and removed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/report/report.h"

namespace scalestudy::report {

struct SiteChange {
  std::size_t written = 0;  // files that are new, or other than they were
  std::size_t removed = 0;
};

// Throws Error{kUsage} for a folder that holds something and no site, and for a site.txt that is
// none: nothing may be written there.
void require_site_folder(const std::filesystem::path& folder);

// Writes the pages, each whole or not at all, what they link to before them; then removes what an
// earlier site here had and this one has not. site.txt lists what is the site's: every other file
// of the folder is left alone. Writing ended early, the next time goes on.
// Throws as require_site_folder does, and Error{kStore} when it cannot be written.
SiteChange write_site(const ReportFiles& files, const std::filesystem::path& folder);

// Paths in `folder` that are missing, differ from `files` or are an earlier site's, sorted.
std::vector<std::string> differing_site_files(const ReportFiles& files,
                                              const std::filesystem::path& folder);

}  // namespace scalestudy::report
