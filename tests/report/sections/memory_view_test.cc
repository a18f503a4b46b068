// What takes a device's memory, in reports.
#include <algorithm>
#include <string>
#include <vector>

#include "harness/report/sections/sections.h"
#include "harness/text/number.h"
#include "tests/report/sample_study.h"
#include "tests/report/shipped_study.h"
#include "tests/report/technique_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using test::text_in;

namespace {

// A sample whose first compared cell, or its base, tells numbers of its memory.
struct MemorySample {
  ReportInput input;
  std::int64_t cell_id = 0;
  std::int64_t base_id = 0;

  void add(std::int64_t cell, const std::string& metric, double value) {
    EstimateRow row = *input.estimate(cell_id, "step_time_s");
    row.cell_id = cell;
    row.metric = metric;
    row.value = value;
    input.results.estimates.push_back(row);
  }
  void add_mebibytes(std::int64_t cell, const std::string& metric, double mebibytes) {
    add(cell, metric, mebibytes * 1024.0 * 1024.0);
  }
};

MemorySample sample_of_memory() {
  Store store = Store::open_in_memory();
  MemorySample sample{.input = read_input(store, test::fill_sample(store))};
  const auto speedup =
      std::ranges::find(sample.input.results.comparisons, "speedup", &ComparisonRow::quantity);
  sample.cell_id = speedup->cell_id;
  sample.base_id = speedup->baseline_cell_id;
  for (const std::string part :
       {"parameters", "gradients", "optimizer", "activations", "buffers", "data"}) {
    const double calculated = part == "activations" ? 0.5 : 1.0;
    sample.add_mebibytes(sample.cell_id, "memory_" + part + "_bytes", 1.0);
    sample.add_mebibytes(sample.cell_id, "calculated_" + part + "_bytes", calculated);
  }
  sample.add_mebibytes(sample.cell_id, "peak_bytes", 6.0);
  sample.add_mebibytes(sample.base_id, "peak_bytes", 12.0);
  return sample;
}

// The one row of what takes memory: cells of other groups tell none.
View memory_row(const View& view) {
  const auto tables = std::get<View::List>(view.values().at("memory_parts"));
  REQUIRE(tables.size() == 1);
  const auto rows = std::get<View::List>(tables[0].values().at("rows"));
  REQUIRE(rows.size() == 1);
  return rows[0];
}

// As of several nodes, whose CPU time no trial tells.
TEST_CASE("a cell that tells of its GPUs or its link alone stands in the table of use",
          "[report]") {
  const char* metric = GENERATE("gpu_busy_share", "declared_link_share");
  MemorySample sample = sample_of_memory();
  const auto rows_of_use = [&] {
    sample.input.make_index();
    std::size_t rows = 0;
    const View view = build_view(sample.input, {});
    for (const View& table : std::get<View::List>(view.values().at("usage"))) {
      rows += std::get<View::List>(table.values().at("rows")).size();
    }
    return rows;
  };
  const std::size_t before = rows_of_use();

  sample.add(sample.cell_id, metric, 0.5);

  CHECK(rows_of_use() == before + 1);
}

TEST_CASE("what takes memory stands beside what was calculated, with its sum and ratio",
          "[report]") {
  MemorySample sample = sample_of_memory();
  sample.input.make_index();

  const View row = memory_row(build_view(sample.input, {}));

  CHECK(text_in(row, "parameters") == "1.00");
  CHECK(text_in(row, "activations") == "1.00 (0.500)");
  CHECK(text_in(row, "sum") == "6.00 (5.50)");
  CHECK(text_in(row, "peak") == "6.00");
  CHECK(text_in(row, "driver") == kAbsent);
  CHECK(text_in(row, "rest") == kAbsent);
  CHECK(text_in(row, "ratio") == "0.500");
}

// As of targets on memory: a level of 40 GiB stands beside values in GiB.
TEST_CASE("all tables show memory in the unit of the largest peak", "[report]") {
  MemorySample sample = sample_of_memory();
  for (EstimateRow& row : sample.input.results.estimates) {
    const bool is_memory = row.metric == "peak_bytes" || row.metric.starts_with("memory_") ||
                           row.metric.starts_with("calculated_");
    row.value = is_memory ? 1024.0 * *row.value : row.value;
  }
  sample.input.make_index();

  const auto page = [&](const char* kind) { return test::render_kind(sample.input, kind); };

  CHECK_THAT(page("scaling"), Contains(" Activations (GiB) |") && Contains(" 1.00 (0.500) |"));
  CHECK_THAT(page("scaling"), Contains(" Peak (GiB) |") && Contains(" 6.00 |"));
  CHECK_THAT(page("platform"), Contains("| Memory (GiB per device) |") && Contains("| 12.0 |"));
  CHECK_THAT(page("second-device"),
             Contains("| Memory per device (GiB) |") && Contains("| 12.0 to 6.00 |"));
}

TEST_CASE("a part of memory that is too small for its unit is not told as zeros", "[report]") {
  MemorySample sample = sample_of_memory();
  sample.add_mebibytes(sample.base_id, "peak_bytes", 12.0 * 1024.0);
  std::erase_if(sample.input.results.estimates, [&](const EstimateRow& row) {
    return row.cell_id == sample.cell_id && row.metric == "memory_data_bytes";
  });
  sample.add_mebibytes(sample.cell_id, "memory_data_bytes", 0.0625);
  sample.input.make_index();

  CHECK_THAT(text_in(memory_row(build_view(sample.input, {})), "data"),
             Catch::StartsWith("< 0.001"));
}

// 6 MiB of 24; where trials tell no size, of those that the study declares.
TEST_CASE("the peak is told as a share of the device's memory where that is known", "[report]") {
  MemorySample sample = sample_of_memory();
  sample.input.make_index();
  const auto share = [&] { return text_in(memory_row(build_view(sample.input, {})), "of_device"); };
  const auto memory = [&] {
    const auto tables = std::get<View::List>(build_view(sample.input, {}).values().at("overview"));
    std::vector<std::string> texts;
    for (const View& table : tables) {
      for (const View& row : std::get<View::List>(table.values().at("rows"))) {
        texts.push_back(text_in(row, "memory"));
      }
    }
    return texts;
  };
  CHECK(share() == kAbsent);
  CHECK(std::ranges::count(memory(), "6.00") == 1);

  auto& cells = sample.input.cells;
  std::ranges::find(cells, sample.cell_id, &CellRow::id)
      ->parameters.push_back({"device_memory_gb", "0.012582912", ValueKind::kReal, false});
  sample.input.make_index();
  CHECK(share() == "50.0");

  sample.add_mebibytes(sample.cell_id, "device_memory_bytes", 24.0);
  sample.input.make_index();
  CHECK(share() == "25.0");
  CHECK(std::ranges::count(memory(), "6.00 (25.0 %)") == 1);

  auto& parameters = std::ranges::find(cells, sample.cell_id, &CellRow::id)->parameters;
  std::erase_if(parameters, [](const auto& parameter) { return parameter.name == "compute"; });
  parameters.push_back({"compute", "declared", ValueKind::kText, false});
  sample.input.make_index();
  CHECK(share() == kAbsent);
}

TEST_CASE("what a GPU's driver counts stands beside the peak, with what is beyond it", "[report]") {
  const auto [of_process, driver] =
      GENERATE(table<double, std::string>({{1.0, "506"}, {0.5, "506 ‡"}}));
  MemorySample sample = sample_of_memory();
  sample.add_mebibytes(sample.cell_id, "driver_memory_bytes", 506.0);
  sample.add(sample.cell_id, "driver_memory_of_process", of_process);
  sample.input.make_index();

  const View view = build_view(sample.input, {});

  CHECK(text_in(memory_row(view), "driver") == driver);
  CHECK(text_in(memory_row(view), "rest") == "500");
  CHECK(std::get<bool>(view.values().at("driver_memory")));
  CHECK(std::get<bool>(view.values().at("driver_memory_of_gpu")) == (of_process < 1.0));
}

TEST_CASE("the largest model that fits is calculated, if a device's memory is declared",
          "[report]") {
  MemorySample sample = sample_of_memory();
  const auto text = [&] {
    sample.input.make_index();
    return text_in(memory_row(build_view(sample.input, {})), "largest");
  };
  CHECK(text() == kAbsent);
  CHECK_THAT(test::render_kind(sample.input, "scaling"), !Contains("is calculated, not measured"));

  sample.add(sample.cell_id, "largest_layers", 5.0);
  sample.add(sample.cell_id, "largest_parameter_count", 2445888.0);
  CHECK(text() == "5 (2.45 M)");
  CHECK_THAT(test::render_kind(sample.input, "scaling"),
             Contains("Largest model, calculated") && Contains("is calculated, not measured"));
  const std::size_t layers = sample.input.results.estimates.size() - 2;
  sample.input.results.estimates[layers].value = 64.0;
  CHECK(text() == "at least 64 (2.45 M)");
  sample.input.results.estimates[layers].value = 0.0;
  CHECK(text() == "none");

  sample.input.results.estimates[layers].value = 64.0;
  sample.add(sample.cell_id, "parameter_count", 3e6);  // of 80 layers, say
  CHECK(text() == "at least its own (3.00 M)");
}

}  // namespace
