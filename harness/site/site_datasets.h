// Figures that others published, in a site: what they are, and what an audit of them found.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/audit_report.h"
#include "harness/report/input/input.h"
#include "harness/report/report.h"

namespace scalestudy::report {

// Figures that others published, in the store or audited beside it.
struct SiteDataset {
  std::optional<PublicationRow> imported;
  std::string study;                      // beside whose results they are shown; "": none
  std::optional<AuditedDataset> audited;  // absent: why_not says why
  std::string why_not;
};

// datasets.html, and a page of each dataset that was audited.
ReportFiles dataset_pages(const std::vector<SiteDataset>& datasets,
                          const std::filesystem::path& audit_template);

}  // namespace scalestudy::report
