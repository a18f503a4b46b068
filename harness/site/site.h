// All studies of a store as a folder of pages that any web server, or none, can show. Computes no
// statistic and reads no clock: the same reports give the same bytes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/report/report.h"
#include "harness/site/site_datasets.h"
#include "harness/site/site_study.h"

namespace scalestudy::report {

// All files of the site by their path relative to its folder: the index, the history, the pages of
// studies and datasets. Throws Error{kUsage} for two audited datasets of one name, and as
// render_audit() does.
// - title: of the index.
// - audit_template: the template for pages of audited datasets.
ReportFiles make_site(const std::string& title,
                      std::vector<SiteStudy> studies,
                      const std::vector<SiteDataset>& datasets,
                      const std::filesystem::path& audit_template);

}  // namespace scalestudy::report
