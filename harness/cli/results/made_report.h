// The report of a stored study, from its trials to its files.
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

// The study's report by the product's templates, and by those of a folder before them where one is
// given: the file of the study's kind (scaling.md), else report.md; partials/ and figures/.
ReportRequest request_with(std::int64_t study_id,
                           const Study& study,
                           const std::filesystem::path& own = {});

// The main templates that pages of a site may be made with: "report.md", "audit.md", "scaling.md".
std::vector<std::string> site_templates();

// Throws Error{kUsage} where nothing of a folder of templates would be used: it has none of
// `mains`, and neither a partial nor a figure of the product's names; and for a main template that
// no page is made with.
void require_templates(const std::filesystem::path& folder, const std::vector<std::string>& mains);

// Analyses and renders. A run may store trials meanwhile, and a report that lists more of them than
// its results count would contradict itself: it is made again then, some times at most.
ReportFiles analyse_and_render(Store& store,
                               const Study& study,
                               const ReportRequest& request,
                               Terminal& terminal);

}  // namespace scalestudy
