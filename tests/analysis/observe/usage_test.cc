// What trials used of the machine, from telemetry by hand.
#include <optional>
#include <set>
#include <string>

#include "harness/analysis/observe/observe.h"
#include "harness/analysis/observe/observe_machine.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

std::optional<double> used(const TrialObservation& trial, const std::string& metric) {
  const auto found = trial.metrics.find(metric);
  return found == trial.metrics.end() ? std::nullopt : std::optional(found->second.mean);
}

TEST_CASE("energy is power by counters times the time of a step", "[analysis]") {
  test::StoredStudy stored(Scaling::kStrong, {test::make_cell(1, 2, 256)}, 2);
  stored.finish({.cell = "d2b256",
                 .block = 0,
                 .series = {test::step_times({0.5, 0.5, 0.5}, 0)},
                 .facts = {{"measured_s", 2.0, "s"},
                           {"measured_cpu_energy_j", 100.0, "J"},
                           {"measured_gpu0_energy_j", 60.0, "J"},
                           {"cpu_energy_j", 9e9, "J"},  // of the whole trial, launch included
                           {"measured_network_eth0_share", 0.3, "1"},
                           {"measured_infiniband_mlx5_0_1_share", 0.4, "1"},
                           {"gpu0_utilization", 0.9, "1"},
                           {"gpu1_utilization", 0.5, "1"},
                           {"gpu2_utilization", 0.0, "1"},  // not used
                           {"gpu0_memory_share", 0.5, "1"},
                           {"gpu1_memory_share", 0.7, "1"},
                           {"cpu_s", 3.6, "s"},  // of a trial of 1.8 s
                           {"system_s", 0.9, "s"}}});
  stored.finish({.cell = "d2b256", .block = 1, .series = {test::step_times({0.5, 0.5, 0.5}, 0)}});

  Study study;
  study.workload = Workload::kTrain;
  const StudyObservation seen = observe(stored.store(), stored.study_id(), study);

  const auto& trials = seen.cells.at(0).trials;
  REQUIRE(trials.size() == 2);
  CHECK(*used(trials[0], "power_w") == Approx(80.0));
  CHECK(*used(trials[0], "energy_per_step_j") == Approx(40.0));
  CHECK(*used(trials[0], "energy_per_sample_j") == Approx(40.0 / 256.0));
  CHECK(*used(trials[0], "link_share") == Approx(0.4));
  CHECK(*used(trials[0], "gpu_busy_share") == Approx(0.7));
  CHECK(*used(trials[0], "memory_share") == Approx(0.7));
  CHECK(*used(trials[0], "cpu_cores") == Approx(2.0));
  CHECK(*used(trials[0], "system_share") == Approx(0.25));
  CHECK_FALSE(used(trials[0], "loading_share"));
  CHECK(seen.units.at("energy_per_sample_j") == "J");
  for (const char* metric : {"power_w", "energy_per_sample_j", "cpu_cores", "link_share"}) {
    INFO(metric);
    CHECK_FALSE(used(trials[1], metric));  // nothing was told
  }
}

}  // namespace

TEST_CASE("what a network could carry is that of the links that were used", "[analysis]") {
  std::vector<TelemetryRow> told = {{"measured_s", 2.0, "s"}};
  const auto add = [&](const std::string& link, double sent, double received, double share) {
    told.push_back({"measured_" + link + "_sent_bytes", sent, "bytes"});
    told.push_back({"measured_" + link + "_received_bytes", received, "bytes"});
    told.push_back({"measured_" + link + "_share", share, "1"});
  };
  const auto rate = [&] {
    TrialObservation trial;
    StudyObservation observation;
    take_usage(told, test::make_cell(1, 2, 256), {}, trial, observation);
    return used(trial, "network_bytes_per_s");
  };
  CHECK_FALSE(rate());
  // 40 GB in 2 s are 80 % of 25 GB/s; the second likewise, by what it received.
  add("infiniband_mlx5_0_1", 40e9, 10e9, 0.8);
  add("infiniband_mlx5_1_1", 10e9, 25e9, 0.5);
  add("network_eth0", 1e6, 1e6, 0.0005);  // of ssh
  CHECK(rate().value_or(0.0) == Approx(50e9));
}

TEST_CASE("ranks use of a declared link what they have to send", "[analysis]") {
  TrialObservation trial;
  trial.metrics["step_time_s"] = single_value(0.5);
  StudyObservation observation;
  CellRow cell = test::make_cell(1, 2, 256);
  const auto share = [&] {
    TrialObservation taken = trial;
    take_usage({{"traffic_bytes", 25e6, "bytes"}}, cell, {}, taken, observation);
    return used(taken, "declared_link_share");
  };
  CHECK_FALSE(share());

  // 1000 Mbit/s carry 62.5 MB in half a second.
  cell.parameters.push_back({"interconnect.bandwidth", "1000", ValueKind::kReal, true});
  CHECK(share().value_or(0.0) == Approx(0.4));
  cell.parameters.push_back({"virtual_node_ranks", "2", ValueKind::kInteger, false});
  CHECK_FALSE(share());  // two ranks share a link
}

TEST_CASE("what parts take of memory is kept, and what the machine's watch says is not",
          "[analysis]") {
  CHECK(is_measure("memory_optimizer_bytes"));
  CHECK(is_measure("calculated_activations_bytes"));
  CHECK(is_measure("driver_memory_bytes"));
  CHECK(is_measure("driver_memory_of_process"));
  CHECK_FALSE(is_measure("memory_share"));
  CHECK_FALSE(is_measure("gpu0_memory_used_bytes"));
}

TEST_CASE("a share that was stored in percent is read as a share", "[analysis]") {
  test::StoredStudy stored(Scaling::kStrong, {test::make_cell(1, 2, 256)}, 2);
  const SeriesRow step = test::step_times({0.5, 0.5, 0.5}, 0);
  const auto finish = [&](std::int64_t block, const char* unit, double busy) {
    stored.finish(
        {.cell = "d2b256",
         .block = block,
         .series = {step,
                    {.metric = "gpu_busy_share", .unit = unit, .rank = {}, .values = {busy}},
                    {.metric = "my_share", .unit = "%", .rank = {}, .values = {busy}}}});
  };
  finish(0, "%", 80.0);
  finish(1, "1", 0.9);
  Study study;
  study.workload = Workload::kCommand;

  const StudyObservation seen = observe(stored.store(), stored.study_id(), study);

  const auto& trials = seen.cells.at(0).trials;
  REQUIRE(trials.size() == 2);
  CHECK(used(trials[0], "gpu_busy_share").value_or(0.0) == Approx(0.8));
  CHECK(used(trials[1], "gpu_busy_share").value_or(0.0) == Approx(0.9));
  CHECK(seen.units.at("gpu_busy_share") == "1");
  CHECK_FALSE(seen.mixed_units.contains("gpu_busy_share"));
  CHECK(used(trials[0], "my_share").value_or(0.0) == Approx(80.0));  // the author's own
}

TEST_CASE("a share of the step that a study asks for follows from the trial's times",
          "[analysis]") {
  test::StoredStudy stored(Scaling::kStrong, {test::make_cell(1, 2, 256)}, 1);
  SeriesRow exposed = test::step_times({0.1, 0.2, 0.3}, 0);
  exposed.metric = "exposed_communication_time_s";
  stored.finish(
      {.cell = "d2b256", .block = 0, .series = {test::step_times({0.5, 0.5, 0.5}, 0), exposed}});
  Study study;
  study.workload = Workload::kCommand;
  const auto share = [&] {
    const StudyObservation seen = observe(stored.store(), stored.study_id(), study);
    return used(seen.cells.at(0).trials.at(0), "exposed_communication_share");
  };
  CHECK_FALSE(share());
  study.analysis.metrics = {{.metric = "exposed_communication_share", .is_higher_better = false},
                            {.metric = "data_share", .is_higher_better = false}};
  CHECK(share().value_or(0.0) == Approx(0.4));
  const StudyObservation seen = observe(stored.store(), stored.study_id(), study);
  CHECK(seen.units.at("exposed_communication_share") == "1");
  CHECK_FALSE(seen.units.contains("data_share"));  // of which no trial has the parts
}

TEST_CASE("a metric that a rule gives is what was printed, whatever is recorded by that name",
          "[analysis]") {
  test::StoredStudy stored(Scaling::kStrong, {test::make_cell(1, 2, 256)}, 2);
  const auto printed = [](const char* metric, double value) {
    return SeriesRow{.metric = metric, .unit = "s", .rank = {}, .warmup_n = 0, .values = {value}};
  };
  const std::vector<TelemetryRow> recorded{{"cpu_s", 3.6, "s"}};
  stored.finish(
      {.cell = "d2b256",
       .block = 0,
       .series = {test::step_times({0.5}, 0), printed("cpu_s", 80.0), printed("wall_s", 90.0)},
       .facts = recorded});
  stored.finish(
      {.cell = "d2b256", .block = 1, .series = {test::step_times({0.5}, 0)}, .facts = recorded});
  Study study;
  study.workload = Workload::kCommand;
  study.analysis.metrics = {{.metric = "cpu_s", .is_higher_better = false},
                            {.metric = "wall_s", .is_higher_better = false}};
  const auto values = [&](const char* metric) {
    const StudyObservation seen = observe(stored.store(), stored.study_id(), study);
    const auto& trials = seen.cells.at(0).trials;
    return std::pair(used(trials.at(0), metric), used(trials.at(1), metric));
  };
  CHECK(values("cpu_s") == std::pair(std::optional(3.6), std::optional(3.6)));
  CHECK(values("wall_s") == std::pair(std::optional(1.8), std::optional(1.8)));
  for (const char* metric : {"cpu_s", "wall_s"}) {
    study.extract.emplace_back().metric = metric;
  }
  CHECK(values("cpu_s") == std::pair(std::optional(80.0), std::optional<double>()));
  CHECK(values("wall_s") == std::pair(std::optional(90.0), std::optional<double>()));
}

TEST_CASE("a use of the machine that programs give is theirs alone", "[analysis]") {
  test::StoredStudy stored(Scaling::kStrong, {test::make_cell(1, 2, 256)}, 2);
  const std::vector<TelemetryRow> recorded{{"gpu0_utilization", 0.9, "1"},
                                           {"gpu0_memory_share", 0.5, "1"},
                                           {"cpu_s", 3.6, "s"}};  // of a trial of 1.8 s
  const auto give = [](const char* metric, const char* unit, double value) {
    return SeriesRow{.metric = metric, .unit = unit, .rank = {}, .warmup_n = 0, .values = {value}};
  };
  stored.finish({.cell = "d2b256",
                 .block = 0,
                 .series = {test::step_times({0.5}, 0),
                            give("gpu_busy_share", "1", 0.2),
                            give("cpu_cores", "cores", 7.0)},
                 .facts = recorded});
  stored.finish({.cell = "d2b256",
                 .block = 1,
                 .series = {test::step_times({0.5}, 0), give("cpu_cores", "percent", 700.0)},
                 .facts = recorded});
  Study study;
  study.workload = Workload::kCommand;
  study.extract.emplace_back().metric = "memory_share";

  const StudyObservation seen = observe(stored.store(), stored.study_id(), study);

  const auto& trials = seen.cells.at(0).trials;
  CHECK(used(trials.at(0), "gpu_busy_share") == std::optional(0.2));
  CHECK_FALSE(used(trials.at(1), "gpu_busy_share"));  // not the 0.9 that was recorded
  for (const auto& trial : trials) {
    CHECK_FALSE(used(trial, "memory_share"));  // its rule found none
    CHECK_FALSE(used(trial, "cpu_cores"));     // in two units
  }
  CHECK(seen.mixed_units == std::set<std::string>{"cpu_cores"});
}
