// Every number of a report as CSV, with full precision and the trials that it rests on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// Texts of the CSV files by file name ("results.csv"). Files of what every study has are always
// there, with their head line alone where there are no rows; the others (published, search, metrics
// ...) only with rows.
std::map<std::string, std::string> make_csv_files(const ReportInput& input);

}  // namespace scalestudy::report
