#include "harness/run/run_study.h"

#include "harness/base/error.h"
#include "harness/base/stop.h"
#include "tests/run/study_room.h"
#include "tests/support/program.h"

using namespace scalestudy;

using test::count;
using test::goes_well;
using test::kStudy;
using test::parse;
using test::Room;

TEST_CASE("a run launches every planned trial once, in stored order, block by block", "[run]") {
  Room room(goes_well);

  const RunSummary summary = room.run(parse(kStudy));

  CHECK(summary.run_now == 6);
  CHECK(count(summary, TrialState::kOk) == 6);
  CHECK(room.last_session().ending == SessionEnding::kDone);
  std::vector<std::int64_t> blocks;
  for (const TrialRow& trial : room.trials()) {
    blocks.push_back(trial.block);
  }
  CHECK(blocks == std::vector<std::int64_t>{0, 0, 1, 1, 2, 2});
}

TEST_CASE("a trial gets its parameters, its file and its names", "[run]") {
  Room room(goes_well);

  room.run(parse(kStudy));

  const auto& environment = room.launcher.requests.front().environment;
  const TrialRow first = room.trials().front();
  CHECK(environment.at("SCALESTUDY_STUDY") == "fake");
  CHECK(environment.at("SCALESTUDY_TRIAL") == std::to_string(first.id));
  CHECK(environment.at("SCALESTUDY_BLOCK") == "0");
  CHECK(room.launcher.requests.back().environment.at("SCALESTUDY_BLOCK") == "2");
  CHECK(environment.at("SCALESTUDY_ATTEMPT") == "1");
  CHECK(environment.at("SCALESTUDY_PARAMETERS").find("\"measured_steps\":2") != std::string::npos);
  const std::string output = environment.at("SCALESTUDY_OUTPUT");
  CHECK(output.find(room.folder.path().string() + "/logs/fake/" +
                    environment.at("SCALESTUDY_CELL") + "-b0-a1/protocol.jsonl") == 0);
}

TEST_CASE("what a trial measured is in the store with its conditions", "[run]") {
  Room room([&](const LaunchRequest& request) {
    room.machine.times.busy_s += 5.0;  // 1 s of it the trial's own
    room.clock.now_s += 8.0;
    return goes_well(request);
  });

  room.run(parse(kStudy));

  const TrialRow trial = room.trials().front();
  CHECK(trial.state == TrialState::kOk);
  CHECK(trial.wall_s == 2.0);
  CHECK(trial.foreign_load == Approx(0.5));
  CHECK(room.store.series(trial.id).at(0).values == std::vector<double>{9.0, 1.0, 3.0});
  CHECK(room.store.series(trial.id).at(0).warmup_n == 1);
  CHECK(room.store.environment(*trial.session_id).front().value == "Test CPU");
}

TEST_CASE("running again runs nothing that is done", "[run]") {
  Room room(goes_well);
  room.run(parse(kStudy));

  const RunSummary again = room.run(parse(kStudy));

  CHECK(again.run_now == 0);
  CHECK(count(again, TrialState::kOk) == 6);
  CHECK(room.launcher.requests.size() == 6);
}

TEST_CASE("a run stops after so many trials, however many attempts they take", "[run]") {
  Room room([&](const LaunchRequest& request) {
    LaunchResult result = goes_well(request);
    result.exit_code = room.launcher.requests.size() % 2 == 1 ? 1 : 0;
    return result;
  });

  const RunSummary summary = room.run(parse(kStudy), {.max_trials = 3});

  CHECK(count(summary, TrialState::kOk) == 3);
  CHECK(summary.run_now == 6);
}

TEST_CASE("what another command took says nothing of how long this one takes", "[run]") {
  double wall_s = 2.0;
  Room room([&](const LaunchRequest& request) {
    LaunchResult result = goes_well(request);
    result.wall_s = wall_s;
    return result;
  });
  room.run(parse(kStudy), {.max_trials = 2});
  room.heard.clear();
  wall_s = 50.0;

  room.run(parse(kStudy, {"command=['true', '{size}', slow]"}), {.accept_changes = true});

  CHECK(room.launcher.requests.at(2).timeout_s == 600.0);  // as of a first trial
  CHECK(room.launcher.requests.at(4).timeout_s == 500.0);
  REQUIRE(room.heard.at(1).state == TrialState::kOk);
  CHECK(room.heard.at(1).eta_s == Approx(3 * 50.0));
}

// The trial takes 2 s; ^Z has the run stopped for 7 s, in which others compute.
TEST_CASE("the time in which ^Z had a run stopped is no time of its trials", "[run]") {
  Room room([&](const LaunchRequest& request) {
    room.clock.now_s += 7.0;
    room.machine.times.busy_s += 14.0;
    suspended_ms += 7000;
    return goes_well(request);
  });

  room.run(parse(kStudy));

  CHECK_FALSE(room.trials().front().foreign_load.has_value());
  CHECK(room.trials().front().wall_s == 2.0);
  REQUIRE(room.heard.at(1).state == TrialState::kOk);
  CHECK(room.heard.at(1).eta_s == Approx(5 * 2.0));
}

TEST_CASE("an excluded cell is accounted for and not run", "[run]") {
  Room room(goes_well);

  const RunSummary summary = room.run(parse(kStudy + "exclude: [{size: 2}]\n"));

  CHECK(summary.run_now == 3);
  CHECK(count(summary, TrialState::kExcluded) == 3);
  CHECK(count(summary, TrialState::kOk) == 3);
}

TEST_CASE("no trial is begun that would end after max_time", "[run]") {
  Room room([&](const LaunchRequest& request) {
    room.clock.now_s += 2.0;
    return goes_well(request);
  });

  const RunSummary summary = room.run(parse(kStudy, {"limits.max_time=5s"}));

  CHECK(summary.out_of_time);
  CHECK(summary.run_now == 2);  // the third would end at 6 s
  CHECK(count(summary, TrialState::kPlanned) == 4);
  CHECK(room.last_session().ending == SessionEnding::kMaxTime);
}

TEST_CASE("each session begins one trial, also one that takes longer than max_time", "[run]") {
  Room room([&](const LaunchRequest& request) {
    room.clock.now_s += 7.0;
    LaunchResult result = goes_well(request);
    result.wall_s = 7.0;
    return result;
  });
  const Study study = parse(kStudy, {"limits.max_time=5s"});

  for (std::int64_t session = 1; session <= 6; ++session) {
    const RunSummary summary = room.run(study);
    CHECK(summary.run_now == 1);
    CHECK(count(summary, TrialState::kOk) == session);
  }
  CHECK_FALSE(room.run(study).out_of_time);
}

TEST_CASE("a missing program is an error before any trial", "[run]") {
  Room room(goes_well);
  const Study study = parse(kStudy, {"command=[no-such-program, x]"});

  try {
    room.run(study);
    FAIL("ran without its program");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kMachine);
    CHECK(std::string(error.what()).find("no-such-program") != std::string::npos);
  }
  CHECK_FALSE(room.store.find_study("fake").has_value());
}

TEST_CASE("progress tells start and end of each trial and when all will be done", "[run]") {
  Room room(goes_well);

  room.run(parse(kStudy));

  REQUIRE(room.heard.size() == 12);
  CHECK_FALSE(room.heard[0].state.has_value());
  CHECK_FALSE(room.heard[0].eta_s.has_value());
  CHECK(room.heard[0].planned == 6);
  CHECK(room.heard[1].state == TrialState::kOk);
  CHECK(room.heard[1].done == 1);
  CHECK(room.heard[1].planned == 6);
  CHECK(room.heard[1].eta_s == Approx(10.0));  // five more of 2 s
  CHECK(room.heard[1].step_time_s == Approx(2.0));
  CHECK(room.heard[2].eta_s == Approx(10.0));
  CHECK(room.heard.back().done == 6);
  CHECK(room.heard.back().eta_s == Approx(0.0));
  CHECK(room.heard.back().relative_half_width == Approx(0.5 / 3.0));
}

TEST_CASE("the time to the end counts waits for an idle machine", "[run]") {
  double* now_s = nullptr;
  Room room([&now_s](const LaunchRequest& request) {
    *now_s += 2.0;  // its wall time
    return goes_well(request);
  });
  now_s = &room.clock.now_s;

  room.run(parse(kStudy, {"validity={idle_wait: 1min}"}));

  REQUIRE(room.heard.size() == 12);
  CHECK(room.heard[1].eta_s == Approx(5 * 2.5));  // of which half a second is a look
}

TEST_CASE("a fact that a program calls as we call ours is not stored for ours", "[run]") {
  Room room([](const LaunchRequest& request) {
    LaunchResult result = goes_well(request);
    std::string text = test::read_file(request.output_path);
    const std::string end = R"("event":"end")";
    text.replace(text.find(end), end.size(), end + R"(,"facts":{"time_limit_s":1})");
    test::write_file(request.output_path, text);
    return result;
  });

  const RunSummary summary = room.run(parse(kStudy));

  CHECK(count(summary, TrialState::kOk) == 6);
  const auto told = room.store.query(
      "SELECT DISTINCT value FROM telemetry WHERE name = "
      "'time_limit_s' AND value < 2",
      {});
  CHECK(told.rows.empty());
}

TEST_CASE("a running trial of a killed harness is run again", "[run]") {
  Room room(goes_well);
  room.run(parse(kStudy), {.max_trials = 1});
  const auto trials = room.trials();
  room.store.mark_running(trials[1].id, *trials[0].session_id, "2026-11-21T10:00:00Z");

  const RunSummary summary = room.run(parse(kStudy));

  CHECK(count(summary, TrialState::kOk) == 6);
}

TEST_CASE("an error of the launcher's world ends the session as error and reaches the caller",
          "[run]") {
  Room room(
      [](const LaunchRequest&) -> LaunchResult { throw Error(ErrorKind::kInternal, "broken"); });

  CHECK_THROWS_AS(room.run(parse(kStudy)), Error);
  CHECK(room.last_session().ending == SessionEnding::kError);
}
