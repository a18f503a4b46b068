// Which figures a study has.
#include "harness/report/figures.h"

#include <algorithm>

#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

namespace scalestudy::report {
namespace {

ReportInput sample_input() {
  Store store = Store::open_in_memory();
  return read_input(store, testing::fill_sample(store));
}

// Copies the cells of the smallest batch, and what was estimated of them, under further batches.
void add_batches(ReportInput& input, std::int64_t count) {
  const std::vector<CellRow> cells(input.cells.begin(), input.cells.begin() + 2);
  const std::vector<EstimateRow> estimates = input.results.estimates;
  for (std::int64_t i = 1; i <= count; ++i) {
    for (CellRow cell : cells) {
      const std::int64_t old_id = cell.id;
      cell.id += 1000 * i;
      cell.batch_global = 10000 * i;
      input.cells.push_back(cell);
      for (EstimateRow row : estimates) {
        if (row.cell_id == old_id) {
          row.cell_id = cell.id;
          input.results.estimates.push_back(row);
        }
      }
    }
  }
}

std::vector<std::string> paths_of(const ReportInput& input, const std::string& kind) {
  std::vector<std::string> paths;
  for (const FigurePlan& plan : plan_figures(input)) {
    if (plan.kind == kind) {
      paths.push_back(plan.path);
    }
  }
  return paths;
}

TEST_CASE("eight series share a figure, and nine are drawn in two", "[report]") {
  ReportInput eight = sample_input();  // three batches
  ReportInput nine = eight;
  add_batches(eight, 5);
  add_batches(nine, 6);

  CHECK(paths_of(eight, "throughput") == std::vector<std::string>{"figures/throughput.svg"});
  CHECK(paths_of(nine, "throughput") ==
        std::vector<std::string>{"figures/throughput.svg", "figures/throughput-2.svg"});
}

TEST_CASE("an oversubscribed number of devices is marked in a figure", "[report]") {
  ReportInput input = sample_input();
  const auto has_mark = [&] {
    const std::vector<FigurePlan> plans = plan_figures(input);
    return plans.front().definitions.find("'4 †' 4") != std::string::npos;
  };
  CHECK_FALSE(has_mark());

  for (CellRow& cell : input.cells) {
    cell.oversubscribed = cell.devices == 4;
  }

  CHECK(has_mark());
}

}  // namespace
}  // namespace scalestudy::report
