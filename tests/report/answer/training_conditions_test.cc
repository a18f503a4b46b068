// Of which cells a training is told, and what is said of them all.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/cost_answers.h"
#include "harness/report/input/same_conditions.h"
#include "harness/store/cell_name.h"
#include "tests/report/sample_study.h"
#include "tests/report/two_strategies.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using test::sentence;

TEST_CASE("what all trainings have alike is not said of each", "[report]") {
  ReportInput input = test::read_sample();
  const auto said = [&] { return cost_answers(input).front().sentence; };
  CHECK_THAT(said(), Contains("soonest with 4 devices, batch 1024, 1.051 "));

  // Only one batch keeps a limit, but the table has others.
  for (const CellRow& cell : input.cells) {
    TargetResultRow& row = input.results.targets.emplace_back();
    row.metric = "peak_bytes";
    row.name = limit_name(row.metric);
    row.cell_id = cell.id;
    row.verdict = cell.batch_global == 1024 ? TargetVerdict::kMet : TargetVerdict::kMissed;
  }
  CHECK_THAT(said(), Contains("soonest with 4 devices, batch 1024, 1.051 "));
  input.results.targets.clear();

  std::erase_if(input.cells, [](const CellRow& cell) {
    return cell.role == CellRole::kMeasured && cell.batch_global != 1024;
  });
  input.results.comparisons.clear();
  input.results.thresholds.clear();
  input.index = {};
  input.make_index();
  CHECK_THAT(said(),
             Contains("soonest with 4 devices, 1.051 ") &&
                 EndsWith("; cheapest with 1 device, or 2 devices (not certain which)"));
}

// 90 x 1,281,167 samples in batches of 256 at 14.4 ms a step of 4 devices: 1.802 h.
TEST_CASE("a training may have any batch, but keeps to the conditions that are given", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.decide = {"devices"};
  const std::string about = "90 epochs of 1,281,167 samples";
  const std::string large =
      "soonest with 4 devices, batch 1024, 1.051 [1.019, 1.082] h for 17.99 [17.45, 18.53] USD "
      "(estimates, not tested); cheapest with 1 device, batch 1024, or 2 devices, batch 1024";
  CHECK(sentence(cost_answers(input), about) ==
        large + ", or 1 device, batch 256 (not certain which)");

  const ReportInput any_batch = input;
  for (const CellRow& cell : input.cells) {
    TargetResultRow& row = input.results.targets.emplace_back();
    row.metric = "peak_bytes";
    row.name = limit_name(row.metric);
    row.cell_id = cell.id;
    row.verdict = cell.batch_global == 64 ? TargetVerdict::kMissed : TargetVerdict::kMet;
  }
  CHECK(sentence(cost_answers(input), about) ==
        large + ", or 1 device, batch 256 (not certain which)");

  input = any_batch;
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back(
        {"strategy", cell.batch_global == 1024 ? "ddp" : "fsdp", ValueKind::kText, true});
  }
  input.index = {};
  input.make_index();
  const std::vector<Answer> all = cost_answers(input);
  REQUIRE(all.size() == 2);
  CHECK(all[0].about == about + ", strategy fsdp");
  CHECK_THAT(all[0].sentence,
             Contains("soonest with 4 devices, batch 256, 1.802 [1.748, 1.856] h for ") &&
                 Contains("; cheapest with 1 device, batch 256, "));
  CHECK(all[1].about == about + ", strategy ddp");
  CHECK(all[1].sentence == large + " (not certain which)");
}

TEST_CASE("of many conditions three are named, of the workload's own the first are meant",
          "[report]") {
  ReportInput input = test::read_sample();
  std::vector<const CellRow*> cells;
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back(
        {"failure", fmt::format("after {}", cell.id), ValueKind::kText, true});
    cells.push_back(&cell);
  }
  std::vector<SameConditions> all = by_conditions(input, cells);
  REQUIRE(all.size() == 1);
  CHECK(all[0].label.empty());
  CHECK(all[0].cells == std::vector<const CellRow*>{cells[0]});

  input.declared.analysis.decide = {"devices"};
  all = by_conditions(input, cells);  // of 9 measured cells, 2 controls and an excluded one
  REQUIRE(all.size() == 3);
  for (const std::size_t i : {0, 1, 2}) {
    CHECK(all[i].label ==
          fmt::format("{} ({} of 12)", name_parameter(cells[i]->parameters.back()), i + 1));
  }
}

TEST_CASE("a group's own conditions are named once", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.decide = {"devices"};
  for (CellRow& cell : input.cells) {
    for (CellRow::Parameter& parameter : cell.parameters) {
      if (parameter.name == "model") {
        parameter.value = cell.devices == 4 ? "big" : "small";
        parameter.varied = true;
      }
    }
    cell.parameters.push_back(
        {"strategy", cell.batch_global == 64 ? "ddp" : "fsdp", ValueKind::kText, true});
  }
  input.index = {};
  input.make_index();
  std::set<std::string> abouts;
  for (const Answer& one : cost_answers(input)) {
    abouts.insert(one.about);
    CHECK_THAT(one.sentence, !Contains("strategy"));
  }
  const std::string training = "90 epochs of 1,281,167 samples, model ";
  CHECK(abouts == std::set<std::string>{training + "big, strategy ddp",
                                        training + "big, strategy fsdp",
                                        training + "small, strategy ddp",
                                        training + "small, strategy fsdp"});
}
