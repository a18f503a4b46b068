// A study in a site: its entry in the index, its page and the files beside it.
#pragma once

#include <string>

#include "harness/report/input/input.h"
#include "harness/report/report.h"

namespace scalestudy::report {

// What a site shows of one study.
struct SiteStudy {
  std::string name;          // the study's, and of its folder studies/NAME, which never changes
  std::string last_session;  // when the last session started, UTC; "": never run
  std::string entry;         // its entry in the index, HTML
  std::string sessions;      // how many sessions, when and where, HTML; "": never run
  std::string history;       // what the sessions tell of changes, HTML; "": too few sessions
  ReportFiles files;  // by path from the site's folder: the page, what its report has, and the
                      // study file
};

// Makes what a site shows of the study.
// - report: the files that render_report() makes, without report.html.
// - history: what the sessions tell of changes, Markdown; "" where they are too few.
// - throws: Error{kStore} for a study whose name cannot be a folder's.
SiteStudy make_site_study(const ReportInput& input,
                          const ReportFiles& report,
                          const std::string& history);

}  // namespace scalestudy::report
