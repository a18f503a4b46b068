// What disturbs a trial, and what becomes of it: counted and marked, run again, or the end of a
// run.
#include "harness/run/machine/disturbance.h"

#include <limits>
#include <set>

#include "tests/run/study_room.h"

using namespace scalestudy;

using Catch::Contains;
using test::count;
using test::kStudy;
using test::parse;
using test::Room;

namespace {

Disturbed find(const std::vector<Reading>& readings,
               double throttled_limit,
               bool uses_gpus = true) {
  return find_disturbance(
      {.throttled = throttled_limit, .idle_wait_s = {}}, {}, readings, 2, uses_gpus);
}

Disturbance by_load(std::optional<double> cores_worth, double limit) {
  return find_disturbance({.foreign_load = limit, .idle_wait_s = {}},
                          {.foreign = cores_worth, .steal = 0.0},
                          {},
                          4,
                          true)
      .by;
}

// Runs trials of which those with these numbers, from 0, meet GPUs throttled half of the time.
struct Throttling {
  explicit Throttling(std::set<std::size_t> hot, std::string times = "9,1,3")
      : room([this, hot = std::move(hot), times = std::move(times)](const LaunchRequest& request) {
          const bool is_hot = hot.contains(room.launcher.requests.size() - 1);
          room.machine.readings = {{"gpu0_throttled", is_hot ? 0.5 : 0.0, "1"}};
          return test::good_trial(request, 1, times);
        }) {}

  Room room;
};

std::vector<std::string> states(Room& room) {
  std::vector<std::string> all;
  for (const TrialRow& trial : room.trials()) {
    all.push_back(to_word(trial.state) + ":" + to_word(trial.disturbance));
  }
  return all;
}

}  // namespace

TEST_CASE("foreign load is a share of the cores, and judged where it could be measured", "[run]") {
  CHECK(by_load(0.39, 0.10) == Disturbance::kNone);
  CHECK(by_load(0.41, 0.10) == Disturbance::kForeignLoad);
  CHECK(by_load(std::nullopt, 0.0) == Disturbance::kNone);
  CHECK(by_load(4.04, 1.0) == Disturbance::kNone);  // ticks
  CHECK(by_load(std::numeric_limits<double>::quiet_NaN(), 1.0) == Disturbance::kForeignLoad);
}

TEST_CASE("throttling is a share of the time, of GPUs only where trials may use them", "[run]") {
  const std::vector<Reading> gpu{{"gpu1_throttled", 0.25, "1"}, {"gpu1_power_capped", 1.0, "1"}};
  CHECK(find(gpu, 0.25).by == Disturbance::kNone);
  CHECK(find(gpu, 0.24).by == Disturbance::kThrottled);
  CHECK_THAT(find(gpu, 0.0).why, Contains("gpu1 for 25 % of the time"));
  CHECK(find(gpu, 0.0, false).by == Disturbance::kNone);
  CHECK(find({{"cpu_throttled", 0.1, "1"}}, 0.05, false).by == Disturbance::kThrottled);
  CHECK(find({{"cpu_throttled", 0.1, "1"}, {"cpu_throttle_events", 5.0, ""}}, 0.2).by ==
        Disturbance::kNone);
  // Kernels that count times and not how long: more than none.
  CHECK(find({{"cpu_throttle_events", 1.0, ""}}, 0.2).by == Disturbance::kThrottled);
  CHECK(find({{"cpu_throttle_events", 0.0, ""}}, 0.0).by == Disturbance::kNone);
}

TEST_CASE("under flag a disturbed trial counts and is marked", "[run]") {
  Throttling world({1});

  const RunSummary summary = world.room.run(parse(kStudy));

  CHECK(summary.run_now == 6);
  CHECK(count(summary, TrialState::kOk) == 6);
  CHECK(states(world.room)[1] == "ok:throttled");
  CHECK(states(world.room)[0] == "ok:");
}

TEST_CASE("under requeue a disturbed trial is kept with its samples, and run again", "[run]") {
  Throttling world({1, 2});

  const RunSummary summary =
      world.room.run(parse(kStudy, {"validity={policy: requeue, calibration: none}"}));

  CHECK(summary.run_now == 8);
  CHECK(count(summary, TrialState::kOk) == 6);
  const auto trials = world.room.trials();
  CHECK(trials[1].state == TrialState::kInvalid);
  CHECK(trials[1].disturbance == Disturbance::kThrottled);
  CHECK(trials[1].reason ==
        "throttled: heat or the power supply slowed gpu0 for 50 % of the time "
        "(validity.throttled: 0 %)");
  CHECK(trials[1].superseded);
  CHECK(world.room.store.series(trials[1].id).at(0).values == std::vector<double>{9.0, 1.0, 3.0});
  CHECK(trials[3].attempt == 3);
  CHECK(states(world.room)[3] == "ok:");
}

TEST_CASE("requeues are bounded, are no failures, and leave the retries of failures", "[run]") {
  Throttling world({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17});
  const Study study = parse(kStudy, {"validity={policy: requeue}", "limits.retries=0"});

  const RunSummary summary = world.room.run(study);

  CHECK(summary.run_now == 18);  // three attempts of six trials, none given up
  CHECK(summary.stopped.empty());
  CHECK(count(summary, TrialState::kInvalid) == 6);
  CHECK(world.room.run(study).run_now == 0);
}

TEST_CASE("requeues are bounded over sessions, too", "[run]") {
  Throttling world({0, 1, 2, 3});
  const Study study = parse(
      kStudy, {"validity={policy: requeue, requeues: 1}", "axes.size=[1]", "trials={count: 1}"});
  world.room.stop_after = TrialState::kInvalid;
  CHECK(world.room.run(study).run_now == 1);
  world.room.stop = false;

  CHECK(world.room.run(study).run_now == 1);
  CHECK(count(world.room.run(study), TrialState::kInvalid) == 1);
}

TEST_CASE("a trial is judged the same whatever its step times are", "[run]") {
  for (const char* policy : {"flag", "requeue"}) {
    const Study study =
        parse(kStudy, {std::string("validity={policy: ") + policy + ", requeues: 0}"});
    Throttling fast({1, 4}, "9,1e-6,1e-6");
    Throttling slow({1, 4}, "9,5000,9000");
    fast.room.run(study);
    slow.room.run(study);

    CHECK(states(fast.room) == states(slow.room));
    CHECK(states(fast.room)[4].ends_with(":throttled"));
  }
}

TEST_CASE("under abort a disturbed trial ends the run, and the next one begins with it", "[run]") {
  Throttling world({2});
  const Study study = parse(kStudy, {"validity={policy: abort}"});

  const RunSummary first = world.room.run(study);

  CHECK(first.run_now == 3);
  CHECK_THAT(first.stopped, Contains("throttled"));
  CHECK(count(first, TrialState::kPlanned) == 4);
  CHECK(world.room.last_session().ending == SessionEnding::kDisturbed);
  const RunSummary second = world.room.run(study);
  CHECK(second.stopped.empty());
  CHECK(count(second, TrialState::kOk) == 6);
  CHECK(world.room.launcher.requests[3].environment.at("SCALESTUDY_ATTEMPT") == "2");
}

TEST_CASE("a trial that failed is a failure, however hot the machine was", "[run]") {
  Room room([&room](const LaunchRequest& request) {
    room.machine.readings = {{"gpu0_throttled", 1.0, "1"}};
    return test::crashes(request);
  });

  room.run(parse(kStudy, {"validity={policy: requeue}"}), {.max_trials = 1});

  CHECK(states(room)[0] == "failed:");
}
