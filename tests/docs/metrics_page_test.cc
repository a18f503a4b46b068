// docs/how-to/workloads/metrics.md: studies of the workload can compare cells by each name in it.
#include <sstream>

#include "harness/study/parameters/trial_metrics.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;

namespace {

// The names in backquotes in the first cell of a table's row.
std::vector<std::string> names_of(const std::string& row) {
  const std::string cell = row.substr(0, row.find(" | "));
  std::vector<std::string> names;
  std::istringstream parts(cell);
  std::string part;
  for (bool is_name = false; std::getline(parts, part, '`'); is_name = !is_name) {
    if (is_name && !part.starts_with("...") && !part.ends_with("...")) {
      names.push_back(part);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("cells can be compared by every metric of the page, but those that always are",
          "[docs]") {
  std::istringstream page(
      test::read_file(SCALESTUDY_SOURCE_DIR "/docs/how-to/workloads/metrics.md"));
  std::string section;
  std::size_t count = 0;
  for (std::string line; std::getline(page, line);) {
    section = line.starts_with("## ") ? line.substr(3) : section;
    if (!line.starts_with("| `")) {
      continue;
    }
    for (const std::string& name : names_of(line)) {
      CAPTURE(section, name);
      const Workload workload = section == "Collectives" ? Workload::kCollective : Workload::kTrain;
      CHECK(check_trial_metric(workload, name).empty() == (section != "Always compared"));
      ++count;
    }
  }
  CHECK(count > 40);
}
