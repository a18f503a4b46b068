// Which cells have an efficiency over their base, and what is said of those without.
#include "harness/analysis/cells/efficiency.h"

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "harness/analysis/compare/choices.h"
#include "harness/analysis/compare/targets.h"
#include "tests/analysis/compared_cells.h"

using namespace scalestudy;
using Catch::Contains;
using test::compare;
using test::find;
using test::make_cell;
using test::make_observation;
using test::observe_cell;

namespace {

const std::vector<double> kTimes_s = {1.0, 1.01, 0.99, 1.02, 0.98, 1.0};

// A cell of `devices` with this value of the setting, against the one of one device and batch 8.
CellObservation with_setting(std::int64_t devices,
                             const std::string& name,
                             const std::string& value,
                             ValueKind kind = ValueKind::kText,
                             std::int64_t batch = 8) {
  CellRow row = make_cell(10 * batch + devices, devices, batch);
  row.baseline = make_cell(0, 1, 8).hash;
  row.parameters.push_back({name, value, kind, true});
  return observe_cell(row, kTimes_s);
}

Study command_study() {
  Study study = test::make_study();
  study.workload = Workload::kCommand;
  return study;
}

// The devices of cells that have an efficiency, in the order of the cells.
std::vector<std::int64_t> efficient(const std::vector<CellObservation>& cells,
                                    const Study& study = command_study()) {
  const StudyObservation observation = make_observation(cells, Scaling::kStrong);
  std::vector<std::int64_t> devices;
  for (const CellObservation& cell : observation.cells) {
    const CellObservation* base = observation.find_cell(cell.row.baseline);
    if (has_efficiency(*base, cell, observation, study)) {
      devices.push_back(cell.row.devices);
    }
  }
  return devices;
}

using Counts = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a cell whose base has another setting has a speedup and no efficiency", "[analysis]") {
  const auto rows = compare({with_setting(1, "strategy", "ddp"),
                             with_setting(2, "strategy", "ddp"),
                             with_setting(4, "strategy", "fsdp")},
                            command_study());

  const auto count_of = [&](std::int64_t devices) {
    return std::ranges::count_if(rows, [&](const ComparisonRow& row) {
      return row.quantity == "efficiency" && row.cell_id == 80 + devices;
    });
  };
  CHECK(count_of(2) == 1);
  CHECK(count_of(4) == 0);
  CHECK_THAT(find(rows, "speedup", 84).remark,
             Contains("no efficiency, because the base differs in strategy as well"));
  CHECK_THAT(find(rows, "speedup", 82).remark, !Contains("no efficiency"));
}

TEST_CASE("what follows from the devices leaves the efficiency", "[analysis]") {
  constexpr ValueKind real = ValueKind::kReal;
  CHECK(efficient({with_setting(1, "lr", "0.1", real),
                   with_setting(2, "lr", "0.2", real),
                   with_setting(4, "lr", "0.4", real)}) == Counts{2, 4});
  CHECK(efficient({with_setting(1, "env.CUDA_VISIBLE_DEVICES", "0"),
                   with_setting(2, "env.CUDA_VISIBLE_DEVICES", "0,1")}) == Counts{2});
  CHECK(efficient({with_setting(1, "launcher", "python"),
                   with_setting(2, "launcher", "torchrun"),
                   with_setting(4, "launcher", "torchrun")}) == Counts{2, 4});

  // As many devices with and without it, and more devices without it: it is chosen.
  CHECK(efficient({with_setting(1, "opts", "all"),
                   with_setting(2, "opts", "all"),
                   with_setting(4, "opts", "none")}) == Counts{2});
  CellObservation other = with_setting(4, "precision", "bf16");
  other.row.id = 1;
  other.row.hash = "another";
  CHECK(
      efficient({with_setting(1, "precision", "fp32"), with_setting(4, "precision", "fp16"), other})
          .empty());
}

TEST_CASE("a number may follow from the batch, and a word may not", "[analysis]") {
  const auto cells = [](ValueKind kind, const std::string& less, const std::string& more) {
    return std::vector{with_setting(1, "lr", less, kind),
                       with_setting(2, "lr", less, kind),
                       with_setting(4, "lr", more, kind, 16)};
  };
  CHECK(efficient(cells(ValueKind::kReal, "0.1", "0.2")) == Counts{2, 4});
  CHECK(efficient(cells(ValueKind::kText, "low", "high")) == Counts{2});
}

TEST_CASE("a learning rate follows from the devices of its own model", "[analysis]") {
  std::vector<CellObservation> cells;
  const auto add = [&](const std::string& model, std::int64_t devices, const std::string& rate) {
    CellObservation cell = with_setting(devices, "lr", rate, ValueKind::kReal);
    cell.row.parameters.push_back({"model", model, ValueKind::kText, true});
    cell.row.hash += model;
    cell.row.baseline = make_cell(0, 1, 8).hash + model;
    cells.push_back(cell);
  };
  add("a", 1, "0.1");
  add("a", 2, "0.2");
  add("a", 4, "0.4");
  add("b", 1, "0.2");
  add("b", 2, "0.4");
  add("b", 4, "0.8");
  CHECK(efficient(cells) == Counts{2, 4, 2, 4});

  // Eight devices kept the rate of one, so model a did not need another.
  add("a", 8, "0.1");
  CHECK(efficient(cells) == Counts{2, 4, 8});
}

TEST_CASE("a launcher may follow from the nodes", "[analysis]") {
  const auto with_launcher = [](std::int64_t devices, const std::string& launcher) {
    constexpr std::int64_t per_node = 8;
    CellObservation cell = with_setting(devices, "launcher", launcher);
    cell.row.nodes = std::max<std::int64_t>(1, devices / per_node);
    return cell;
  };
  std::vector<CellObservation> cells = {with_launcher(1, "python"),
                                        with_launcher(4, "python"),
                                        with_launcher(8, "python"),
                                        with_launcher(16, "srun"),
                                        with_launcher(32, "srun")};
  CHECK(efficient(cells) == Counts{4, 8, 16, 32});
  cells[2] = with_launcher(8, "srun");  // on one node, too
  CHECK(efficient(cells) == Counts{4});
}

TEST_CASE("many cells with many settings are soon looked through", "[analysis]") {
  constexpr std::int64_t count = 1024;
  constexpr int settings = 40;
  std::vector<CellObservation> cells;
  for (std::int64_t devices = 1; devices <= count; ++devices) {
    CellObservation cell;
    cell.row = make_cell(devices, devices, count);
    for (int i = 0; i < settings; ++i) {
      cell.row.parameters.push_back({"setting_that_follows_" + std::to_string(i),
                                     std::to_string(devices),
                                     ValueKind::kInteger,
                                     true});
    }
    cells.push_back(cell);
  }

  const std::clock_t begin = std::clock();
  const Counts devices = efficient(cells);

  CHECK(devices.size() == count - 1);
  CHECK(static_cast<double>(std::clock() - begin) < 4.0 * CLOCKS_PER_SEC);  // of CPU time
}

TEST_CASE("communication and strategies mean nothing to a base of one device", "[analysis]") {
  const Study train = test::make_study();
  for (const char* name : {"strategy", "allreduce"}) {
    const auto two = with_setting(2, name, "a");
    const auto other = with_setting(4, name, "b");
    CHECK(efficient({with_setting(1, name, "a"), two, other}, train) == Counts{2, 4});
  }

  // Two devices against four: communication that the baseline names is a setting.
  std::vector<CellObservation> cells = {with_setting(2, "allreduce", "flat"),
                                        with_setting(8, "allreduce", "flat"),
                                        with_setting(4, "allreduce", "ring")};
  for (CellObservation& cell : cells) {
    cell.row.baseline = cells.front().row.hash;
  }
  CHECK(efficient(cells, train) == Counts{8, 4});
  Study named = train;
  named.analysis.baseline["allreduce"] = std::string("flat");
  CHECK(efficient(cells, named) == Counts{8});
}

TEST_CASE("two cells without an efficiency are asked which is the cheaper", "[analysis]") {
  const auto of_two = [](const std::string& base) {
    // Elsewhere more devices have the base's, so that it does not follow from them.
    CellObservation apart = with_setting(8, "precision", base);
    apart.row.baseline.reset();
    const auto rows = compare_with_best(
        make_observation(
            {with_setting(1, "precision", base), with_setting(4, "precision", "bf16"), apart},
            Scaling::kStrong),
        test::make_study());
    return std::ranges::count(rows, "cheapest", &ComparisonRow::quantity);
  };
  CHECK(of_two("bf16") == 0);  // the efficiency says it
  CHECK(of_two("fp32") == 1);
}

TEST_CASE("a target on an efficiency that there is not says why", "[analysis]") {
  Target target;
  target.name = "wish";
  target.metric = "efficiency";
  target.where = {{"devices", std::int64_t{4}}};
  target.at_least = 0.8;
  Study study = command_study();
  study.analysis.targets = {target};

  const auto rows = judge_targets(make_observation({with_setting(1, "strategy", "ddp"),
                                                    with_setting(2, "strategy", "ddp"),
                                                    with_setting(4, "strategy", "fsdp")},
                                                   Scaling::kStrong),
                                  study,
                                  Results());

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].verdict == TargetVerdict::kUndecided);
  CHECK_THAT(rows[0].finding,
             Contains("no efficiency, because the base differs in strategy as well"));
}
