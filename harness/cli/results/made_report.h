// Makes the report of a stored study, from its trials to the content of its files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/terminal.h"
#include "harness/report/report.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// A request for the study's report. Its templates are the product's; those in the folder `own`, if
// one is given, take precedence: the file of the study's kind (scaling.md) or else report.md, and
// what is in partials/ and figures/.
ReportRequest request_with(std::int64_t study_id,
                           const Study& study,
                           const std::filesystem::path& own = {});

// Names of the main templates that pages of a site can have: "report.md", "audit.md", "scaling.md".
std::vector<std::string> site_templates();

// Throws Error{kUsage} if a folder of templates has nothing that would be used, that is none of
// `mains` and no partial or figure with a name of the product's, or if it has a main template that
// has no name of site_templates().
void require_templates(const std::filesystem::path& folder, const std::vector<std::string>& mains);

// Analyses the study, stores its results and renders the report. If trials ended meanwhile, its
// lists would show more trials than its results count: it is made again then, up to three times,
// and a note says so if even the last one is not consistent. Throws Error{kUsage} as
// render_report() does, and then for a partial or figure script in request.own that nothing uses.
ReportFiles analyse_and_render(Store& store,
                               const Study& study,
                               const ReportRequest& request,
                               Terminal& terminal);

// Renders the report for --check, which writes nothing, from the stored results. If these may be
// older than what they rest on (refers_elsewhere()), `store` goes on in memory with new ones, and
// the targets that refer to what has changed are told.
ReportFiles render_for_check(Store& store,
                             const Study& study,
                             const ReportRequest& request,
                             Terminal& terminal);

// Prints which numbers of a written report differ from those of `files`, or that only words do.
// - differing: paths in `folder` that are not as `files` has them
void tell_renewal(const ReportFiles& files,
                  const std::vector<std::string>& differing,
                  const std::filesystem::path& folder,
                  Terminal& terminal);

}  // namespace scalestudy
