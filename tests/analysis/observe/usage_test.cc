// What trials used of the machine, from telemetry by hand.
#include <optional>
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

TEST_CASE("what parts take of memory is kept, and what the machine's watch says is not",
          "[analysis]") {
  CHECK(is_measure("memory_optimizer_bytes"));
  CHECK(is_measure("calculated_activations_bytes"));
  CHECK(is_measure("driver_memory_bytes"));
  CHECK(is_measure("driver_memory_of_process"));
  CHECK_FALSE(is_measure("memory_share"));
  CHECK_FALSE(is_measure("gpu0_memory_used_bytes"));
}
