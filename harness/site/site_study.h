// A study in a site: its entry in the index, its page and the files beside it.
#pragma once

#include <string>

#include "harness/report/input/input.h"
#include "harness/report/report.h"

namespace scalestudy::report {

// What a site says of one study.
struct SiteStudy {
  std::string name;          // of its folder, studies/NAME, for ever
  std::string last_session;  // when it started, UTC; "": never run
  std::string entry;         // of the index, HTML
  std::string sessions;      // how many, when and where, HTML; "": never run
  std::string history;       // what they tell of changes, HTML; "": nothing, they are too few
  ReportFiles files;  // by path from the site's folder: the page, what its report has, and the
                      // study file
};

// report   as render_report makes it, without report.html.
// history  what its sessions tell of changes, Markdown; "" where they are too few.
// Throws Error{kStore} for a study whose name cannot be a folder's.
SiteStudy make_site_study(const ReportInput& input,
                          const ReportFiles& report,
                          const std::string& history);

}  // namespace scalestudy::report
