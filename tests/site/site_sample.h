// The sample study as a site, for tests of its pages and of what a browser makes of them.
#pragma once

#include <string>
#include <vector>

#include "harness/base/paths.h"
#include "harness/report/input/input.h"
#include "harness/site/site.h"
#include "tests/report/sample_study.h"

namespace scalestudy::test {

// A study of that name; its trials are the sample's.
inline report::SiteStudy sample_site_study(const std::string& name,
                                           const SampleOptions& options = {},
                                           const std::string& history = {}) {
  Store store = Store::open_in_memory();
  const ReportRequest request = sample_request(fill_sample(store, options));
  report::ReportInput input = report::read_input(store, request.study_id);
  input.study.name = name;
  return report::make_site_study(input, render_report(store, request), history);
}

inline ReportFiles sample_site(std::vector<report::SiteStudy> studies,
                               const std::vector<report::SiteDataset>& datasets = {}) {
  return report::make_site(
      "Our machines", std::move(studies), datasets, shared_file("templates/audit.md"));
}

}  // namespace scalestudy::test
