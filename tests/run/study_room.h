// A results folder, a study and a world of fakes, for tests of run_study.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/run/run_study.h"
#include "harness/study/parse.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_launcher.h"
#include "tests/support/fake_machine.h"
#include "workloads/protocol/exit_codes.h"

namespace scalestudy::test {

// Two cells of the workload `command`, three blocks; "true" exists everywhere and is never started.
inline const std::string kStudy = R"(version: 1
study: fake
title: Fake
workload: command
command: ["true", "{size}"]
axes:
  size: [1, 2]
steps: {warmup: 1, measured: 2}
trials: {count: 3}
limits: {retries: 1}
)";

inline Study parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  ParsedStudy parsed = parse_study(text, "fake.yaml", overrides);
  REQUIRE(format_problems(parsed.problems, text, "fake.yaml").empty());
  return parsed.study;
}

// A results folder and a world in it.
struct Room {
  explicit Room(FakeLauncher::Trial trial)
      : launcher(std::move(trial)), store(Store::open(folder.path())) {}

  RunSummary run(const Study& study, const RunOptions& options = {}) {
    return run_study(
        study,
        store,
        RunWorld{.launcher = launcher,
                 .machine = machine,
                 .clock = clock,
                 .precision = precision,
                 .sleep = [this](double seconds) { sleep(seconds); },
                 .nodes = nodes},
        options,
        [this](const Progress& progress) {
          heard.push_back(progress);
          stop = stop || (stop_after && progress.state == stop_after);
        },
        stop);
  }

  // Moves the clock; until `busy_until_s` other processes use one core.
  void sleep(double seconds) {
    const double busy_s = std::clamp(busy_until_s - clock.now_s, 0.0, seconds);
    clock.now_s += seconds;
    machine.times.busy_s += busy_s;
  }

  std::vector<TrialRow> trials(const std::string& name = "fake") const {
    return store.trials(store.find_study(name)->id);
  }

  SessionRow last_session() const { return store.sessions(store.find_study("fake")->id).back(); }

  TrialFolder folder;
  FakeLauncher launcher;
  FakeMachine machine;
  FakeClock clock;
  PrecisionRule precision = [](const std::vector<TrialMean>& means) {
    return Precision{.relative_half_width = 0.5 / static_cast<double>(means.size()), .stop_at = {}};
  };
  std::atomic<bool> stop{false};
  std::optional<TrialState> stop_after;  // stop once a trial has ended so
  Store store;
  std::vector<Progress> heard;
  double busy_until_s = 0.0;
  Nodes nodes;
};

inline LaunchResult goes_well(const LaunchRequest& request) {
  return good_trial(request, 1, "9,1,3");
}

// A launch that ends as a built-in workload does on a machine where it cannot run at all.
inline LaunchResult is_unsupported(const LaunchRequest& /*request*/) {
  LaunchResult result;
  result.ending = LaunchEnding::kExited;
  result.exit_code = protocol::kExitUnsupported;
  result.wall_s = 1.0;
  return result;
}

inline LaunchResult crashes(const LaunchRequest& /*request*/) {
  LaunchResult result;
  result.ending = LaunchEnding::kSignaled;
  result.signal = 11;
  result.wall_s = 1.0;
  return result;
}

// Crashes unlike the last time: no repeated failure that ends a run.
inline FakeLauncher::Trial crashes_otherwise() {
  return [signal = 11](const LaunchRequest& request) mutable {
    LaunchResult result = crashes(request);
    signal = signal == 11 ? 6 : 11;
    result.signal = signal;
    return result;
  };
}

inline std::int64_t count(const RunSummary& summary, TrialState state) {
  const auto found = summary.states.find(state);
  return found == summary.states.end() ? 0 : found->second;
}

}  // namespace scalestudy::test
