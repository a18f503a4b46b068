// All studies of a store as a folder of pages that any web server, or none, can show. Computes no
// statistic and reads no clock: the same reports give the same bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/audit_report.h"
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

// Figures that others published, in the store or audited beside it.
struct SiteDataset {
  std::optional<PublicationRow> imported;
  std::string study;                      // beside whose results they are shown; "": none
  std::optional<AuditedDataset> audited;  // absent: why_not says why
  std::string why_not;
};

// Content by path relative to the site's folder. Throws Error{kUsage} for two audited datasets of
// one name, and as render_audit does.
ReportFiles make_site(const std::string& title,
                      std::vector<SiteStudy> studies,
                      const std::vector<SiteDataset>& datasets,
                      const std::filesystem::path& audit_template);

// A page of a site: the same head everywhere.
//   up     from the page to the site's folder: "", "../../".
//   links  to what belongs to this page, HTML; "": none.
//   script and script_hash  as of html_page.
std::string site_page(const std::string& title,
                      const std::string& up,
                      const std::string& links,
                      const std::string& body,
                      std::string_view script = {},
                      std::string_view script_hash = {});

// datasets.html, and a page of each dataset that was audited.
ReportFiles dataset_pages(const std::vector<SiteDataset>& datasets,
                          const std::filesystem::path& audit_template);  // site_datasets.cc

}  // namespace scalestudy::report
