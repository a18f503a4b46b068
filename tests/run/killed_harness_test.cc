// What a harness that dies in the middle of a study leaves behind.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>

#include <sqlite3.h>

#include "harness/base/error.h"
#include "harness/run/process/process_tree.h"
#include "harness/store/store.h"
#include "tests/run/driver_process.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using test::DriverProcess;
using test::processes_with;
using test::TrialFolder;
using test::wait_until;

// Trials of about 50 ms with a child of their own, three step times each.
const std::string kTrial = R"(sleep 0.05
{
echo '{"v":1,"event":"start","workload":"fake","ranks":1}'
echo '{"v":1,"event":"samples","metric":"step_time_s","unit":"s","warmup":1,"values":[3,1,2]}'
echo '{"v":1,"event":"end","ok":true}'
} > "$SCALESTUDY_OUTPUT"
)";

// Three cells, seven blocks, in a folder of its own; its trials carry the mark TRIAL_MARK=<folder>.
struct KilledStudy {
  KilledStudy() : mark("TRIAL_MARK=" + folder.path().filename().string()) {
    std::ofstream(file())
        << "version: 1\nstudy: killed\ntitle: Killed\nworkload: command\n"
        << "command: [\"" << folder.script("trial", kTrial) << "\", \"{size}\"]\n"
        << "parameters: {env."
        << "TRIAL_MARK: \"" << folder.path().filename().string() << "\"}\n"
        << "axes: {size: [1, 2, 3]}\nsteps: {warmup: 1, measured: 2}\n"
        << "validity: {calibration: none}\ntrials: {count: 7}\nlimits: {retries: 0}\n";
  }

  std::filesystem::path file() const { return folder.path() / "study.yaml"; }
  std::filesystem::path results() const { return folder.path() / "results"; }

  TrialFolder folder;
  std::string mark;
};

// How many trials the store has, by state. Checks that a trial is there whole or not at all. One
// that was killed twice counts with those that are done: it says so.
std::map<TrialState, int> check_store(const std::filesystem::path& results) {
  std::map<TrialState, int> states;
  if (!Store::exists(results)) {
    return states;  // killed before the store was made
  }
  const Store store = Store::open_read_only(results);
  CHECK(std::get<std::string>(store.query("PRAGMA integrity_check").rows.at(0).at(0)) == "ok");
  const auto study = store.find_study("killed");
  if (!study) {
    return states;
  }
  for (const TrialRow& trial : store.trials(study->id)) {
    ++states[trial.state];
    const auto series = store.series(trial.id);
    if (trial.state == TrialState::kFailed) {
      CHECK_THAT(trial.reason, Catch::StartsWith("scalestudy itself ended 2 times"));
      CHECK(series.empty());
      continue;
    }
    if (trial.state == TrialState::kOk) {
      REQUIRE(series.size() == 1);
      CHECK(series[0].values == std::vector<double>{3.0, 1.0, 2.0});
      CHECK(store.telemetry(trial.study_id).contains(trial.id));
      CHECK(trial.wall_s.has_value());
    } else {
      CHECK((trial.state == TrialState::kPlanned || trial.state == TrialState::kRunning));
      CHECK(series.empty());
    }
  }
  return states;
}

void check_complete(const KilledStudy& study) {
  const auto states = check_store(study.results());
  const auto count = [&](TrialState state) {
    return states.contains(state) ? states.at(state) : 0;
  };
  CHECK(count(TrialState::kOk) + count(TrialState::kFailed) == 21);
}

}  // namespace

TEST_CASE("killing the harness at random instants loses no trial and leaves no process",
          "[run][slow]") {
  constexpr unsigned seed = 20261121;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  int kills = 0;
  while (kills < 20) {
    const KilledStudy study;
    for (bool is_complete = false; !is_complete && kills < 20;) {
      DriverProcess driver(study.results(), study.file());
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
      driver.send(SIGKILL);
      const int ending = driver.wait();
      is_complete = ending == 0 || ending == 3;
      CHECK((is_complete || ending == -SIGKILL));
      kills += is_complete ? 0 : 1;

      CHECK(wait_until([&] { return processes_with(study.mark).empty(); }, 10.0));
      check_store(study.results());
    }
    const int ending = DriverProcess(study.results(), study.file()).wait();
    CHECK((ending == 0 || ending == 3));  // 3: some trial was killed twice
    check_complete(study);
  }
}

TEST_CASE("an interrupt ends the session, leaves no process and can be resumed", "[run]") {
  const KilledStudy study;
  DriverProcess driver(study.results(), study.file());
  REQUIRE(wait_until([&] { return !processes_with(study.mark).empty(); }, 10.0));

  driver.send(SIGINT);

  CHECK(driver.wait() == 130);
  CHECK(processes_with(study.mark).empty());
  const auto states = check_store(study.results());
  CHECK(states.at(TrialState::kPlanned) > 0);
  CHECK_FALSE(states.contains(TrialState::kRunning));
  CHECK(DriverProcess(study.results(), study.file()).wait() == 0);
  check_complete(study);
}

TEST_CASE("what a harness and its supervisor, killed together, leave is ended by the next run",
          "[run]") {
  const KilledStudy study;
  const bool is_build = GENERATE(false, true);
  const std::string flag = study.folder.file("go");
  const std::string waits = "[ -e " + flag + " ] || { sleep 60 & sleep 60; }\n";
  if (is_build) {
    const std::string build =
        study.folder.script("build", "export " + study.mark + "; exec sh -c '" + waits + "'\n");
    std::ofstream(study.file(), std::ios::app) << "build: [\"" << build << "\"]\n";
  } else {
    study.folder.script("trial", waits + kTrial);
  }
  DriverProcess driver(study.results(), study.file());
  std::vector<int> left;
  REQUIRE(wait_until(
      [&] {
        left = processes_with(study.mark);
        return left.size() == 3;
      },
      10.0));
  const std::vector<ProcessInfo> below = descendants(driver.pid());
  const auto supervisor = std::find_if(below.begin(), below.end(), [&](const ProcessInfo& one) {
    return one.parent == driver.pid();
  });
  REQUIRE(supervisor != below.end());

  driver.send(SIGSTOP);  // or it would see its supervisor die, and end the trial
  kill(supervisor->pid, SIGKILL);
  driver.send(SIGKILL);
  driver.wait();
  // Waits, as a process in the midst of exec() shows no environment for an instant.
  REQUIRE(wait_until([&] { return processes_with(study.mark) == left; }, 10.0));
  std::ofstream(flag) << "";

  CHECK(DriverProcess(study.results(), study.file()).wait() == 0);
  CHECK(processes_with(study.mark).empty());
  check_complete(study);
}

TEST_CASE("a trial that ended while another program wrote the store is stored once, not run again",
          "[run][slow]") {
  const KilledStudy study;
  const std::string launched = study.folder.file("launched");
  study.folder.script("trial", "echo x >> " + launched + "; sleep 0.3\n" + kTrial);
  DriverProcess driver(study.results(), study.file());
  REQUIRE(wait_until([&] { return !processes_with(study.mark).empty(); }, 10.0));
  sqlite3* writer = nullptr;
  sqlite3_open((study.results() / "results.db").c_str(), &writer);
  sqlite3_busy_timeout(writer, 5000);
  REQUIRE(sqlite3_exec(writer, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  REQUIRE(
      wait_until([&] { return std::filesystem::exists(study.results() / "unstored.json"); }, 10.0));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));

  driver.send(SIGKILL);
  driver.wait();
  sqlite3_close(writer);

  CHECK(DriverProcess(study.results(), study.file()).wait() == 0);
  check_complete(study);
  CHECK(test::read_file(launched).size() == 2U * 21U);
}
