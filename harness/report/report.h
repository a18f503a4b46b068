// Result tables -> report.md, figures/*.svg, data/*.csv, results.json, CITATION.cff. Computes no
// statistic and reads no clock: the same store gives the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy {

struct ReportRequest {
  std::int64_t study_id = 0;
  std::filesystem::path template_file;  // main template
  std::filesystem::path own = {};       // folder whose partials/ and figures/ come first; empty:
                                        // that of the main template
  std::filesystem::path partials;       // folder of partials, templates/partials
  std::filesystem::path figures;        // folder of gnuplot templates, templates/figures
  bool html = false;                    // report.html too, self-contained
};

// Content by path relative to the report folder: "report.md", "figures/throughput.svg",
// "data/results.csv".
using ReportFiles = std::map<std::string, std::string>;

// Throws Error{kUsage} for a template that names an unknown tag or partial or does not parse, with
// "template:line:col: "; Error{kMachine} when gnuplot is missing.
ReportFiles render_report(const Store& store, const ReportRequest& request);

// The rules of reporting that the study's report breaks, as "rule: finding; to mend it: advice".
std::vector<std::string> broken_rules(const Store& store, std::int64_t study_id);

// Writes the files, each whole or not at all; those already equal are left alone, files of an older
// report, which its page names, that are no longer made are removed from figures/ and data/. Throws
// Error{kStore} when the folder is not writable.
void write_report(const ReportFiles& files, const std::filesystem::path& folder);

// Names of files in `folder` that write_report() would overwrite and that are of no report: other
// content, and no results.json of ours beside them. Sorted.
std::vector<std::string> foreign_files(const ReportFiles& files,
                                       const std::filesystem::path& folder);

// Names of files in `folder` that are missing or differ from `files`, sorted.
std::vector<std::string> differing_files(const ReportFiles& files,
                                         const std::filesystem::path& folder);

}  // namespace scalestudy
