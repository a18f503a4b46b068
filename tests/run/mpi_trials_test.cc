// Real training under real mpirun, and what is left when the harness is killed in the middle of it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>

#include "tests/run/driver_process.h"
#include "tests/run/real_world.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using test::DriverProcess;
using test::processes_with;
using test::TrialFolder;
using test::wait_until;

// The small MLP on one and two ranks, with so many steps that a trial takes a moment.
std::string study_text(const std::string& mark, const std::string& devices, int measured) {
  return "version: 1\nstudy: mpi\ntitle: MPI\nworkload: train\n"
         "parameters: {model: mlp-258k, env.TRIAL_MARK: \"" +
         mark + "\"}\naxes: {devices: " + devices +
         ", batch_global: [64]}\n"
         "steps: {warmup: 2, measured: " +
         std::to_string(measured) +
         "}\nvalidity: {calibration: none}\ntrials: {count: 2}\nlimits: {retries: 0}\n";
}

RunSummary run_all(const std::string& text, Store& store) {
  return test::run_for_real(text, store, 1.0);
}

}  // namespace

TEST_CASE("training on one and two ranks under mpirun gives ok trials with every step", "[run]") {
  const TrialFolder folder;
  setenv("SCALESTUDY_WORKLOADS", SCALESTUDY_TEST_BIN, 1);
  setenv("NCCL_DEBUG", "INFO", 1);  // of the user's shell: must not reach a trial, and be told of
  Store store = Store::open(folder.path() / "results");

  const RunSummary summary =
      run_all(study_text(folder.path().filename().string(), "[1, 2]", 8), store);

  const std::int64_t study_id = store.find_study("mpi")->id;
  for (const TrialRow& trial : store.trials(study_id)) {
    INFO(trial.reason);
    CHECK(trial.state == TrialState::kOk);
  }
  CHECK(summary.states == std::map<TrialState, std::int64_t>{{TrialState::kOk, 4}});
  store.for_each_series(study_id, "step_time_s", [](const TrialRow&, const SeriesRow& series) {
    CHECK(series.values.size() == 10);
    CHECK(series.warmup_n == 2);
  });
  const auto environment = store.environment(store.sessions(study_id).back().id);
  CHECK(std::any_of(environment.begin(), environment.end(), [](const EnvironmentRow& row) {
    return row.name == "dropped_variables" && row.value.find("NCCL_DEBUG") != std::string::npos;
  }));
  CHECK(processes_with("TRIAL_MARK=" + folder.path().filename().string()).empty());
}

// A program that sets a cap stands for nvidia-smi: what it set lies in a file.
TEST_CASE("training runs under the power cap that setup sets, and cleanup takes it away", "[run]") {
  const TrialFolder folder;
  setenv("SCALESTUDY_WORKLOADS", SCALESTUDY_TEST_BIN, 1);
  const std::string cap = (folder.path() / "cap").string();
  const std::string seen = (folder.path() / "seen").string();
  const std::string set = folder.script("set", "echo $1 > " + cap + "\necho $1 >> " + seen + "\n");
  const std::string reset = folder.script("reset", "rm " + cap + "\n");
  Store store = Store::open(folder.path() / "results");

  const RunSummary summary = run_all(
      "version: 1\nstudy: caps\ntitle: Caps\nworkload: train\nparameters: {batch_global: 64}\n"
      "axes: {power_cap: [200, 300]}\nsetup: [\"" +
          set + "\", \"{power_cap}\"]\ncleanup: [\"" + reset +
          "\"]\nsteps: {warmup: 2, measured: 8}\nvalidity: {calibration: none}\n"
          "trials: {count: 2}\nlimits: {retries: 0}\nanalysis: {baseline: {power_cap: 300}}\n",
      store);

  CHECK(summary.states == std::map<TrialState, std::int64_t>{{TrialState::kOk, 4}});
  std::string order;  // of the caps, by the plan
  std::map<std::int64_t, std::string> caps;
  for (const CellRow& cell : store.cells(store.find_study("caps")->id)) {
    const auto own = std::ranges::find(cell.parameters, "power_cap", &CellRow::Parameter::name);
    REQUIRE(own != cell.parameters.end());
    caps[cell.id] = own->value;
  }
  for (const TrialRow& trial : store.trials(store.find_study("caps")->id)) {
    order += caps.at(trial.cell_id) + "\n";
  }
  CHECK(test::read_file(seen) == order);
  CHECK_FALSE(std::filesystem::exists(cap));
}

TEST_CASE("a setup that fails fails the training, with its words", "[run]") {
  const TrialFolder folder;
  setenv("SCALESTUDY_WORKLOADS", SCALESTUDY_TEST_BIN, 1);
  const std::string set = folder.script("set", "echo 'no permission' >&2\nexit 4\n");
  Store store = Store::open(folder.path() / "results");

  run_all(
      "version: 1\nstudy: caps\ntitle: Caps\nworkload: train\nparameters: {batch_global: 64}\n"
      "setup: [\"" +
          set +
          "\"]\nsteps: {warmup: 2, measured: 8}\nvalidity: {calibration: none}\n"
          "trials: {count: 1}\nlimits: {retries: 0}\n",
      store);

  const TrialRow trial = store.trials(store.find_study("caps")->id).back();
  CHECK(trial.state == TrialState::kFailed);
  CHECK(trial.reason == "setup: exit code 4: no permission");
}

// By hand: each rank sleeps 10 + 20 ms every two steps and waits for nobody, so that both are done
// after 15 ms a step; each step takes 20 ms on its slowest rank. Only the last step's waking late
// is in the window: half a millisecond a step is 20 ms of it.
TEST_CASE("two ranks that are slow in turn take the time they take, not that of the slower one",
          "[run]") {
  const TrialFolder folder;
  std::filesystem::create_symlink(SCALESTUDY_TEST_BIN "/../tests/window_probe",
                                  folder.path() / "scalestudy-train");
  setenv("SCALESTUDY_WORKLOADS", folder.path().c_str(), 1);
  const std::string output = folder.path() / "wall";
  const std::string text =
      "version: 1\nstudy: mpi\ntitle: T\nworkload: train\n"
      "parameters: {comm: noop, devices: 2, batch_global: 64, env.PROBE_OUTPUT: \"" +
      output +
      "\"}\nsteps: {warmup: 2, measured: 40}\nvalidity: {calibration: none}\ntrials: {count: 1}\n";
  Store store = Store::open(folder.path() / "results");

  run_all(text, store);

  const TrialRow trial = store.trials(store.find_study("mpi")->id).at(0);
  INFO(trial.reason);
  REQUIRE(trial.state == TrialState::kOk);
  const StepTime time = store.step_time(trial.id).value();
  CHECK(time.definition == StepTimeDefinition::kWindow);
  CHECK(time.steps == 40);
  CHECK(time.mean_s >= 0.015);
  CHECK(time.mean_s <= 0.0155);
  double wall_s = 0.0;
  for (const char* rank : {".0", ".1"}) {
    double own_s = 0.0;
    std::ifstream(output + rank) >> own_s;
    wall_s = std::max(wall_s, own_s);
  }
  const double throughput = 64.0 / time.mean_s;
  CHECK(std::abs(64.0 * 40.0 / throughput - wall_s) < 1e-3 * wall_s);
  store.for_each_series(trial.study_id, "step_time_s", [](const TrialRow&, const SeriesRow& all) {
    const double sum_s = std::accumulate(all.values.begin(), all.values.end(), 0.0);
    CHECK(sum_s / static_cast<double>(all.values.size()) > 0.0175);
  });
}

TEST_CASE("cell, baseline and control warm up and measure for at least the floors", "[run]") {
  const TrialFolder folder;
  setenv("SCALESTUDY_WORKLOADS", SCALESTUDY_TEST_BIN, 1);
  Store store = Store::open(folder.path() / "results");

  run_all(
      "version: 1\nstudy: mpi\ntitle: T\nworkload: train\nparameters: {model: mlp-258k}\n"
      "axes: {devices: [1, 2], batch_global: [16]}\ncontrols: [noop]\n"
      "steps: {warmup: 2, measured: 3, warmup_time: 300ms, measured_time: 80ms}\n"
      "validity: {calibration: none}\ntrials: {count: 1}\n",
      store);

  const std::int64_t study_id = store.find_study("mpi")->id;
  const std::vector<TrialRow> trials = store.trials(study_id);
  CHECK(trials.size() == 3);
  std::map<std::int64_t, std::int64_t> devices;
  for (const CellRow& cell : store.cells(study_id)) {
    devices[cell.id] = cell.devices;
  }
  const auto telemetry = store.telemetry(study_id);
  for (const TrialRow& trial : trials) {
    INFO(trial.reason);
    REQUIRE(trial.state == TrialState::kOk);
    std::map<std::string, double> facts;
    for (const TelemetryRow& row : telemetry.at(trial.id)) {
      facts[row.name] = row.value;
    }
    CHECK(facts.at("warmup_time_s") >= 0.3);
    // The measured window is that of the slowest rank; these times are rank 0's.
    const StepTime time = store.step_time(trial.id).value();
    const double window_s = time.mean_s * static_cast<double>(time.steps);
    const double measured_s = facts.at("measured_until_s") - facts.at("measured_from_s");
    CHECK(measured_s > 0.0);
    CHECK((devices.at(trial.cell_id) > 1 || measured_s >= window_s));
    CHECK(measured_s <= 1.5 * window_s + 0.1);
    CHECK(facts.at("measured_until_s") <= SystemClock().monotonic_s());
    CHECK((facts.at("is_steady") == 1.0 || facts.at("is_steady") == 0.0));
    CHECK(time.steps >= 3);
  }
  store.for_each_series(study_id, "step_time_s", [](const TrialRow&, const SeriesRow& series) {
    CHECK(series.warmup_n >= 20);
    const auto warmup_end = series.values.begin() + series.warmup_n;
    CHECK(std::accumulate(series.values.begin(), warmup_end, 0.0) >= 0.3);
    // Rank 0 fixes the window's steps by its own pace at the end of the warm-up, and no step of the
    // slowest rank is shorter. The window itself may go faster, on a machine that gets idle.
    const std::int64_t last = std::max<std::int64_t>(10, series.warmup_n / 4);
    std::vector<double> pace(warmup_end - last, warmup_end);
    std::nth_element(pace.begin(), pace.begin() + last / 2, pace.end());
    const auto steps = static_cast<double>(series.values.end() - warmup_end);
    CHECK(steps * pace[static_cast<std::size_t>(last / 2)] >= 0.08);
  });
}

TEST_CASE("killing the harness ends mpirun and its ranks", "[run]") {
  const TrialFolder folder;
  setenv("SCALESTUDY_WORKLOADS", SCALESTUDY_TEST_BIN, 1);
  const std::string mark = "TRIAL_MARK=" + folder.path().filename().string();
  const std::filesystem::path file = folder.path() / "study.yaml";
  std::ofstream(file) << study_text(folder.path().filename().string(), "[2]", 500'000);
  DriverProcess driver(folder.path() / "results", file);
  // mpirun and its two ranks.
  REQUIRE(wait_until([&] { return processes_with(mark).size() >= 3; }, 30.0));

  driver.send(SIGKILL);
  driver.wait();

  CHECK(wait_until([&] { return processes_with(mark).empty(); }, 10.0));
}
