// What is chosen where the bases of comparisons differ in two numbers.
#include <functional>
#include <string>
#include <vector>

#include "harness/report/answer/choice.h"
#include "harness/report/answer/pairs.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using enum Verdict;

// These batches with 1 and 2 steps of accumulation, each on 1 and 2 devices.
ReportInput with_accumulation(
    const std::vector<std::int64_t>& batches,
    const std::function<Verdict(std::int64_t batch, std::int64_t steps)>& verdict_of) {
  ReportInput input;
  input.study.scaling = Scaling::kStrong;
  input.declared.workload = Workload::kTrain;
  for (const std::int64_t batch : batches) {
    for (const std::int64_t steps : {1, 2}) {
      const std::int64_t base = std::ssize(input.cells) + 1;
      for (const std::int64_t devices : {1, 2}) {
        CellRow& cell = input.cells.emplace_back();
        cell.id = std::ssize(input.cells);
        cell.hash = std::to_string(cell.id);
        cell.baseline = std::to_string(base);
        cell.devices = devices;
        cell.batch_global = batch;
        cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true},
                           {"batch_global", std::to_string(batch), ValueKind::kInteger, true},
                           {"accum", std::to_string(steps), ValueKind::kInteger, true}};
      }
      ComparisonRow& row = input.results.comparisons.emplace_back();
      row.cell_id = base + 1;
      row.baseline_cell_id = base;
      row.quantity = "speedup";
      row.verdict = verdict_of(batch, steps);
      row.value = row.verdict == kFaster ? 2.5 : 0.8;
    }
  }
  input.make_index();
  return input;
}

// Two strategies on 8 devices of 1, 2 and 4 nodes, or on as many devices; only on 1 is the second
// slower.
ReportInput with_strategies(const std::string& axis) {
  ReportInput input;
  input.study.scaling = Scaling::kStrong;
  input.declared.workload = Workload::kTrain;
  for (const std::int64_t value : {1, 2, 4}) {
    const std::int64_t base = std::ssize(input.cells) + 1;
    for (const std::string strategy : {"ddp", "fsdp"}) {
      CellRow& cell = input.cells.emplace_back();
      cell.id = std::ssize(input.cells);
      cell.hash = std::to_string(cell.id);
      cell.baseline = std::to_string(base);
      cell.devices = axis == "devices" ? value : 8;
      cell.nodes = axis == "nodes" ? value : 1;
      cell.batch_global = 64;
      cell.parameters = {{axis, std::to_string(value), ValueKind::kInteger, true},
                         {"strategy", strategy, ValueKind::kText, true}};
    }
    ComparisonRow& row = input.results.comparisons.emplace_back();
    row.cell_id = base + 1;
    row.baseline_cell_id = base;
    row.quantity = "speedup";
    row.verdict = value == 1 ? kSlower : kFaster;
    row.value = value == 1 ? 0.8 : 2.5;
  }
  input.make_index();
  return input;
}

TEST_CASE("a choice over devices or nodes counts them", "[report]") {
  const auto said = [](const ReportInput& input) {
    const std::vector<Answer> found = choices(input, pairs_of(input));
    return found.empty() ? "" : found[0].sentence;
  };
  ReportInput over_nodes = with_strategies("nodes");

  CHECK(said(with_strategies("devices")) ==
        "strategy ddp at 1 device, strategy fsdp at 2 to 4 devices");
  CHECK(said(over_nodes) == "strategy ddp at 1 node, strategy fsdp at 2 to 4 nodes");
  over_nodes.declared.labels = {{"nodes", "hosts"}};
  CHECK(said(over_nodes) == "strategy ddp at hosts 1, strategy fsdp at hosts 2 to 4");
}

TEST_CASE("a lone verdict is told by all numbers that set it apart", "[report]") {
  const ReportInput input = with_accumulation({16, 32}, [](std::int64_t batch, std::int64_t steps) {
    return batch == 16 && steps == 1 ? kFaster : kNotEnoughData;
  });

  const std::vector<Answer> found = choices(input, pairs_of(input));
  REQUIRE(!found.empty());
  CHECK(found[0].about == "Use (fastest)");
  CHECK(found[0].sentence == "with batch 16, accum 1: 2 devices");
}

TEST_CASE("of two numbers the one with fewer values is told as a setting", "[report]") {
  const ReportInput input =
      with_accumulation({16, 32, 64}, [](std::int64_t batch, std::int64_t steps) {
        return batch == 16 && steps == 2 ? kSlower : kFaster;
      });

  const std::vector<Answer> found = choices(input, pairs_of(input));
  REQUIRE(!found.empty());
  CHECK(found[0].about == "Use (fastest)");
  CHECK(found[0].sentence ==
        "with accum 1: 2 devices at every compared value (batch 16 to 64); with accum 2: 1 device "
        "at batch 16, 2 devices at batch 32 to 64");
}

}  // namespace
