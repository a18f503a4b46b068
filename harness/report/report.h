// Makes the folder of a report from the tables of results: report.md, details.md, figures/*.svg,
// data/*.csv, results.json, CITATION.cff. Computes no statistic and reads no clock: the same store
// gives the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

// Which study to report, and the templates to do it with.
struct ReportRequest {
  std::int64_t study_id = 0;
  std::filesystem::path template_file;  // main template
  std::filesystem::path own = {};       // folder whose partials/ and figures/ come first; empty:
                                        // that of the main template
  std::filesystem::path partials;       // folder of partials, templates/partials
  std::filesystem::path figures;        // folder of gnuplot templates, templates/figures
  bool html = false;                    // report.html too, self-contained
  bool latex = false;                   // latex/*.tex and latex/*.pdf too, for a paper
  bool full = false;                    // all in report.md, no details.md
};

// Contents of files by their path relative to the report's folder: "report.md",
// "figures/throughput.svg", "data/results.csv", "latex/results.tex".
using ReportFiles = std::map<std::string, std::string>;

// Makes all files of the report; writes none. Throws Error{kUsage} as "template:line:col: ..." for
// a template that names an unknown tag or partial or does not parse; Error{kMachine} when gnuplot
// is missing.
ReportFiles render_report(const Store& store, const ReportRequest& request);

// The rules of reporting (rules/lint.h) that the study's report breaks, each as "rule: finding; to
// mend it: advice".
std::vector<std::string> broken_rules(const Store& store, std::int64_t study_id);

// Writes the files, each whole or not at all, and leaves equal ones alone. Files in figures/ and
// data/ that the page of an older report names and this one does not make are removed. Throws
// Error{kStore} when the folder is not writable.
void write_report(const ReportFiles& files, const std::filesystem::path& folder);

// Sorted names of the files in `folder` that write_report() would overwrite although no report
// wrote them: their content differs, and no results.json of a report lies beside them.
std::vector<std::string> foreign_files(const ReportFiles& files,
                                       const std::filesystem::path& folder);

// Sorted names of the files in `folder` that are missing, differ from `files` in more than the
// version that made them, or are of an older report and no longer made.
std::vector<std::string> differing_files(const ReportFiles& files,
                                         const std::filesystem::path& folder);

}  // namespace scalestudy
