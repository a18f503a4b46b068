// Every number of a report with full precision and the trials it rests on, as CSV.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "results.csv" -> text, for every table of the report; a table without rows has its head line, but
// "published.csv" is there only when the report shows publications.
std::map<std::string, std::string> make_csv_files(const ReportInput& input);

}  // namespace scalestudy::report
