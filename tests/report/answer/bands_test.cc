// What holds over ranges of devices and of sizes.
#include "harness/report/answer/bands.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/report/figures/figures.h"
#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/report/sections/view_texts.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Texts = std::vector<std::string>;

void set_efficiency(ReportInput& input, std::int64_t devices, double lo) {
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "efficiency" && input.cell(row.cell_id).devices == devices) {
      row.lo = lo;
    }
  }
}

TEST_CASE("a band is the least lower end up to a number of devices", "[report]") {
  ReportInput input = test::read_sample();
  set_efficiency(input, 2, 0.929);
  set_efficiency(input, 4, 0.615);
  CHECK(efficiency_bands(input) ==
        Texts{"at least 92 % up to 2 devices, 61 % up to 4 (batch 64)",
              "at least 92 % up to 2 devices, 61 % up to 4 (batch 256)",
              "at least 92 % up to 2 devices, 61 % up to 4 (batch 1024)"});

  set_efficiency(input, 2, 0.60);  // what 4 devices reach no longer holds up to 4
  CHECK(efficiency_bands(input).front() == "at least 60 % up to 4 devices (batch 64)");
}

TEST_CASE("a band over a base of another batch names that base", "[report]") {
  ReportInput input = test::read_sample();
  set_efficiency(input, 2, 0.929);
  set_efficiency(input, 4, 0.615);
  const auto base = std::ranges::find_if(input.cells, [](const CellRow& cell) {
    return cell.role == CellRole::kMeasured && cell.devices == 1 && cell.batch_global == 64;
  });
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "efficiency" && input.cell(row.cell_id).batch_global == 256) {
      row.baseline_cell_id = base->id;
    }
  }
  input.make_index();

  CHECK(efficiency_bands(input) ==
        Texts{"at least 92 % up to 2 devices, 61 % up to 4 (batch 64)",
              "at least 92 % up to 2 devices, 61 % up to 4 (batch 256; base: 1 device, batch 64)",
              "at least 92 % up to 2 devices, 61 % up to 4 (batch 1024)"});
}

TEST_CASE("communication takes at most the largest upper end up to there", "[report]") {
  ReportInput input = test::read_sample();
  std::erase_if(input.results.comparisons,
                [](const ComparisonRow& row) { return row.quantity == "communication_overhead"; });
  input.make_index();
  for (const CellRow& cell : input.cells) {
    if (cell.role == CellRole::kMeasured && cell.batch_global == 256 && cell.devices > 1) {
      ComparisonRow row = *input.comparison(cell.id, "efficiency");
      row.quantity = "communication_overhead";
      row.hi = cell.devices == 2 ? 0.085 : 0.281;
      input.results.comparisons.push_back(row);
    }
  }
  input.make_index();

  CHECK(overhead_bands(input) == Texts{"at most 9 % up to 2 devices, 29 % up to 4 (batch 256)"});

  for (ComparisonRow& row : input.results.comparisons) {  // the run without it was slower
    row.hi = row.hi == 0.085 ? -0.03 : row.hi;
  }
  CHECK(overhead_bands(input) == Texts{"at most 0 % up to 2 devices, 29 % up to 4 (batch 256)"});
}

TEST_CASE("as many devices on one node and on two are no band together", "[report]") {
  ReportInput input = test::read_sample();
  set_efficiency(input, 2, 0.929);
  set_efficiency(input, 4, 0.925);
  const auto found = std::ranges::find_if(input.cells, [](const CellRow& cell) {
    return cell.role == CellRole::kMeasured && cell.devices == 4 && cell.batch_global == 64;
  });
  CellRow apart = *found;
  ComparisonRow row = *input.comparison(apart.id, "efficiency");
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back({"nodes", "1", ValueKind::kInteger, true});
  }
  apart.id = row.cell_id = 9999;
  apart.nodes = 2;
  apart.parameters.push_back({"nodes", "2", ValueKind::kInteger, true});
  row.lo = 0.6;
  input.cells.push_back(apart);
  input.results.comparisons.push_back(row);
  input.make_index();

  const Texts bands = efficiency_bands(input);

  CHECK(bands.front() == "at least 92 % up to 4 devices (batch 64, 1 node)");
  CHECK(bands.size() == 3);  // two nodes have one number of devices
}

// 4 devices are on 2 nodes because 2 fit one. One cell has its 2 devices on 2 nodes.
TEST_CASE("nodes that follow from the devices split no band, no setting and no series",
          "[report]") {
  ReportInput input = test::read_sample();
  set_efficiency(input, 2, 0.929);
  set_efficiency(input, 4, 0.615);
  const auto on_nodes = [](CellRow& cell, std::int64_t nodes) {
    cell.nodes = nodes;
    std::erase_if(cell.parameters, [](const auto& parameter) { return parameter.name == "nodes"; });
    cell.parameters.push_back({"nodes", std::to_string(nodes), ValueKind::kInteger, true});
  };
  for (CellRow& cell : input.cells) {
    on_nodes(cell, cell.devices == 4 ? 2 : 1);
  }
  CellRow apart = *std::ranges::find_if(input.cells, [](const CellRow& cell) {
    return cell.role == CellRole::kMeasured && cell.devices == 2 && cell.batch_global == 64;
  });
  const std::int64_t alike = std::exchange(apart.id, 9999);
  on_nodes(apart, 2);
  input.cells.push_back(apart);
  const auto repeat = [&](auto& rows) {
    for (auto row : std::vector(rows)) {
      if (std::exchange(row.cell_id, apart.id) == alike) {
        rows.push_back(row);
      }
    }
  };
  repeat(input.results.comparisons);
  repeat(input.results.estimates);
  input.make_index();

  CHECK(efficiency_bands(input) ==
        Texts{"at least 92 % up to 2 devices, 61 % up to 4 (batch 64, 1 to 2 nodes)",
              "at least 92 % up to 2 devices, 61 % up to 4 (batch 256, 1 to 2 nodes)",
              "at least 92 % up to 2 devices, 61 % up to 4 (batch 1024, 1 to 2 nodes)"});
  const View view = build_view(input, {});
  CHECK(test::pairs_in(std::get<View::List>(view.values().at("settings")).front(),
                       "rows",
                       "name",
                       "devices") == "1 to 2 nodes: 2 to 4; 2 nodes: 2; ");
  std::string drawn;
  for (const FigurePlan& plan : plan_figures(input)) {
    drawn += plan.kind == "throughput" ? plan.definitions : "";
  }
  CHECK_THAT(drawn, Catch::Matchers::Contains("'batch 64, 1 to 2 nodes'"));
}

TEST_CASE("cells without an interval and cells that make no claim are in no band", "[report]") {
  ReportInput input = test::read_sample();
  for (const Verdict none : {Verdict::kNotEnoughData,
                             Verdict::kNoClaim,
                             Verdict::kNotApplied,
                             Verdict::kUnconfirmed,
                             Verdict::kSoftwareType,
                             Verdict::kUnsupported}) {
    for (ComparisonRow& row : input.results.comparisons) {
      row.verdict = input.cell(row.cell_id).devices == 4 ? none : row.verdict;
    }
    CHECK(efficiency_bands(input).empty());  // a single number of devices is no range
  }
}

TEST_CASE("models are counted by size and verdict", "[report]") {
  ReportInput input = test::read_sample();
  const auto rows = [&] {
    const View view = build_view(input, {});
    const auto& tables = std::get<View::List>(view.values().at("sizes"));
    Texts texts;
    for (const View& table : tables) {
      for (const View& row : std::get<View::List>(table.values().at("rows"))) {
        const auto text = [&](const char* name) {
          return std::get<std::string>(row.values().at(name));
        };
        texts.push_back(text("range") + ": " + text("faster") + "/" + text("slower") + "/" +
                        text("open") + " of " + text("all"));
      }
    }
    return texts;
  };
  CHECK(rows().empty());  // no size is known

  for (const CellRow& cell : std::vector<CellRow>(input.cells)) {
    EstimateRow size = *input.estimate(input.cells.front().id, "step_time_s");
    size.cell_id = cell.id;
    size.metric = "parameter_count";
    size.value = cell.batch_global == 64 ? 258e3 : 6.9e6;
    input.results.estimates.push_back(size);
  }
  input.make_index();
  CHECK(rows() == Texts{"below 1 M: 0/2/0 of 2", "1 M to 10 M: 4/0/0 of 4"});

  const auto found =
      std::ranges::find(input.results.comparisons, "speedup", &ComparisonRow::quantity);
  found->verdict = Verdict::kNotEnoughData;  // which is not "no significant difference"
  CHECK(rows().front() == "below 1 M: 0/1/0 of 1");
}

}  // namespace
