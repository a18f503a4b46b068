// Compares the tables, sentences and alternative texts of a report's pages with its results.json.
#pragma once

#include "tests/report/said_report.h"

namespace scalestudy::test {

// Adds what contradicts to report.found.
void read_pages(SaidReport& report);

}  // namespace scalestudy::test
