// Figures that others published, in a site: what they are, and what an audit of them found.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/audit_report.h"
#include "harness/report/input/input.h"
#include "harness/report/report.h"
#include "harness/site/site_study.h"

namespace scalestudy::report {

// A dataset of figures that others published: imported into the store, audited beside it, or both.
struct SiteDataset {
  std::optional<PublicationRow> imported;
  std::string study;  // the study whose results they are shown beside; "": none
  std::optional<AuditedDataset> audited;
  std::string why_not;  // why the dataset is not audited
};

// The files datasets.html and a page for each audited dataset, by path relative to the site's
// folder. Throws as make_site() does.
// - studies: those of the site, to whose pages the list links.
ReportFiles dataset_pages(const std::vector<SiteDataset>& datasets,
                          const std::vector<SiteStudy>& studies,
                          const std::filesystem::path& audit_template);

}  // namespace scalestudy::report
