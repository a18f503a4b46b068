// Published quantities that a result of another name or unit is, and how it is converted.
#include "harness/analysis/studies/equal_quantities.h"

#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "harness/analysis/studies/equal_quantity_table.h"
#include "harness/analysis/studies/published.h"
#include "harness/study/parse.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// One cell on 2 devices with a global batch of 64, its baseline on one, and what is declared of a
// training of 1e9 tokens or of 10 epochs of 6400 samples.
struct World {
  World() {
    for (const std::int64_t devices : {1, 2}) {
      CellRow& cell = observation.cells.emplace_back().row;
      cell.id = devices;
      cell.role = CellRole::kMeasured;
      cell.devices = devices;
      cell.batch_global = 64;
      cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true}};
    }
    study.workload = Workload::kCommand;
    study.cost = Cost();
    study.cost->others = {{.name = "spot"}};
    study.cost->lines = {{.name = "storage"}};
    study.cost->train = Training{.tokens = 1e9};
    study.published_as = {{"declared", {"on-demand"}}, {"storage", {"Storage (FSx)", "Disk"}}};
  }

  void estimate(const std::string& metric, double value) {
    EstimateRow row;
    row.cell_id = 2;
    row.metric = metric;
    row.value = value;
    row.lo = 0.9 * value;
    row.hi = 1.1 * value;
    results.estimates.push_back(row);
  }

  void compare(const std::string& quantity, double value) {
    ComparisonRow row;
    row.cell_id = 2;
    row.baseline_cell_id = 1;
    row.quantity = quantity;
    row.value = value;
    row.lo = value - 0.1;
    row.hi = value + 0.1;
    results.comparisons.push_back(row);
  }

  CounterpartRow find(const std::string& quantity,
                      const std::string& conditions,
                      const std::string& printed_unit = "") const {
    PublishedFigureRow figure;
    figure.quantity = quantity;
    figure.conditions = conditions;
    figure.baseline = R"({"devices":"1"})";
    figure.printed_unit = printed_unit;
    figure.unit = quantity == "cost" ? "currency" : "s";
    figure.value = 2.0;
    PublicationRow publication;
    publication.figures = {figure};
    return find_counterparts({publication}, observation, study, results).at(0);
  }

  StudyObservation observation;
  Study study;
  Results results;
};

const std::string kTwo = R"({"devices":"2"})";

std::string two_with(const std::string& more) {
  return R"({"devices":"2",)" + more + "}";
}

}  // namespace

TEST_CASE("a total time is that of the declared training", "[analysis]") {
  World world;
  world.estimate("training_hours", 10.0);
  world.estimate("training_device_hours", 20.0);
  world.estimate("epoch_time_s", 3600.0);

  const CounterpartRow found = world.find("total_time", kTwo);
  CHECK(*found.value == Approx(36000.0));
  CHECK(*found.lo == Approx(32400.0));
  CHECK(*found.ratio == Approx(18000.0));
  CHECK(found.unit == "s");
  CHECK(found.metric == "training_hours");
  CHECK(found.note.find("without start, evaluation and checkpoints") != std::string::npos);
  // A tenth of the tokens takes a tenth of the time.
  CHECK(*world.find("total_time", two_with(R"("tokens":"1e8")")).value == Approx(3600.0));
  CHECK(*world.find("device_time", kTwo).value == Approx(72000.0));
  CHECK(*world.find("epoch_time", kTwo).value == 3600.0);

  world.study.cost->train = Training{.samples = 64000.0, .samples_per_epoch = 6400.0};
  CHECK_FALSE(world.find("total_time", two_with(R"("tokens":"1e8")")).cell_id);
}

TEST_CASE("a cost is that of its price, and of the whole training or of tokens", "[analysis]") {
  World world;
  world.estimate("training_cost", 100.0);
  world.estimate("training_cost:spot", 40.0);
  world.estimate("cost_per_million_tokens", 0.07);
  world.estimate("training_line_cost:storage", 5.0);
  const auto value = [&](const std::string& more) {
    return world.find("cost", two_with(more)).value;
  };

  CHECK(*world.find("cost", kTwo).value == 100.0);
  CHECK(*value(R"("configuration":"on-demand")") == 100.0);
  CHECK(*value(R"("configuration":"Spot","tokens":"1e9")") == 40.0);
  CHECK(*value(R"("tokens":"1000000")") == Approx(0.07));
  CHECK(*value(R"("tokens":"1e8")") == Approx(7.0));
  CHECK_FALSE(value(R"("configuration":"reserved")"));
  world.study.cost->currency = "EUR";
  CHECK(world.find("cost", kTwo, "$").reason ==
        "in another currency than the prices of this study");
  CHECK(*world.find("cost", kTwo, "€").value == 100.0);
  CHECK(*world.find("money", two_with(R"("component":"Disk","configuration":"spot")")).value ==
        5.0);
  CHECK_FALSE(world.find("money", kTwo).cell_id);
}

TEST_CASE("a saving is 1 - the ratio to the baseline, a change the ratio - 1", "[analysis]") {
  World world;
  world.compare("peak_bytes", 0.6);
  world.compare("speedup", 0.9);

  const CounterpartRow saving = world.find("memory_saving", kTwo);
  CHECK(*saving.value == Approx(0.4));
  CHECK(*saving.lo == Approx(0.3));
  CHECK(*saving.hi == Approx(0.5));
  const CounterpartRow change = world.find("throughput_change", kTwo);
  CHECK(*change.value == Approx(-0.1));
  CHECK(*change.hi == Approx(0.0).margin(1e-12));
}

TEST_CASE("a phase is that part of a step, or of all steps of an epoch", "[analysis]") {
  World world;
  world.estimate("forward_time_s", 0.25);
  world.estimate("exposed_communication_time_s", 0.5);

  CHECK(*world.find("time", two_with(R"("operation":"forward")")).value == 0.25);
  CHECK(*world.find("time", two_with(R"("phase":"Gradient Sync")")).value == 0.5);
  CHECK_FALSE(world.find("time", two_with(R"("operation":"lunch")")).cell_id);
  CHECK_FALSE(world.find("time", two_with(R"("operation":"forward")"), "s/epoch").cell_id);

  world.study.cost->train = Training{.samples = 64000.0, .samples_per_epoch = 6400.0};
  // 6400 samples in batches of 64 are 100 steps.
  CHECK(*world.find("time", two_with(R"("operation":"forward")"), "s/epoch").value == Approx(25.0));
}

TEST_CASE("a utilization is that of the GPUs unless it names another part", "[analysis]") {
  World world;
  world.estimate("gpu_busy_share", 0.8);
  world.estimate("loading_share", 0.2);

  CHECK(*world.find("utilization", kTwo).value == 0.8);
  CHECK(*world.find("utilization", two_with(R"("operation":"Data Loading")")).value == 0.2);
  CHECK_FALSE(world.find("utilization", two_with(R"("operation":"network")")).cell_id);
}

TEST_CASE("a value that all cells share needs no single cell", "[analysis]") {
  World world;
  for (const std::int64_t id : {1, 2}) {
    EstimateRow row;
    row.cell_id = id;
    row.metric = "parameter_count";
    row.value = row.lo = row.hi = 258432.0;
    world.results.estimates.push_back(row);
  }
  world.study.workload = Workload::kTrain;
  for (CellObservation& cell : world.observation.cells) {
    cell.row.parameters.push_back({"model", "mlp-258k", ValueKind::kText, true});
  }

  CHECK(*world.find("parameters", R"({"model":"mlp-258k"})").value == 258432.0);
  world.results.estimates.back().value = 7.0;
  CHECK(world.find("parameters", R"({"model":"mlp-258k"})").reason ==
        "2 cells have these conditions; they differ in devices: import again with --assume "
        "devices=VALUE");
}

TEST_CASE("a rate without a unit is not taken for tokens or samples", "[analysis]") {
  World world;
  world.estimate("throughput", 10.0);
  CHECK(world.find("throughput", kTwo).value == 10.0);

  world.estimate("tokens_per_second", 20480.0);
  CHECK(world.find("throughput", kTwo).reason == "the figure does not say: unit");
  CHECK(world.find("throughput", kTwo, "tokens/s").value == 20480.0);
  CHECK(world.find("throughput", kTwo, "samples/s").value == 10.0);
}

TEST_CASE("a study file may say what publications call each part of a step", "[analysis]") {
  std::string published_as;
  for (const EqualQuantity& row : equal_quantities()) {
    std::istringstream parts{std::string(row.parts)};
    for (std::string part; std::getline(parts, part, '|');) {
      if (published_as.find("\n    " + part + ":") == std::string::npos) {
        published_as += "\n    " + part + ": otherwise";
      }
    }
  }

  const ParsedStudy parsed = parse_study(
      "version: 1\nstudy: s\nworkload: train\nparameters: {batch_global: 8}\n"
      "report:\n  published_as:" +
          published_as + "\n",
      "s.yaml",
      {});

  for (const Problem& problem : parsed.problems) {
    CHECK(problem.message.empty());
  }
  CHECK(parsed.study.published_as.size() == 21);
}
