#include "harness/run/run_study.h"

#include <algorithm>
#include <set>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.h"
#include "harness/base/stop.h"
#include "tests/run/study_room.h"
#include "tests/support/program.h"

using namespace scalestudy;

using Catch::Contains;
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

TEST_CASE("a changed study is refused with its differences, and runs on when accepted", "[run]") {
  Room room(goes_well);
  room.run(parse(kStudy), {.max_trials = 1});
  const Study changed = parse(kStudy, {"axes.size=[2, 3]"});

  try {
    room.run(changed);
    FAIL("a changed study was run");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    const std::string message = error.what();
    CHECK(message.find("axes.size") != std::string::npos);
    CHECK(message.find("--accept-changes") != std::string::npos);
  }

  const RunSummary summary =
      room.run(changed, {.accept_changes = true, .max_trials = std::nullopt});
  CHECK(count(summary, TrialState::kOk) == 6);
  std::set<std::string> reasons;
  for (const TrialRow& trial : room.trials()) {
    if (trial.state == TrialState::kSkipped) {
      reasons.insert(trial.reason);
      CHECK(trial.skip_reason == SkipReason::kNotInStudy);
    }
  }
  CHECK(reasons == std::set<std::string>{"no longer in the study"});
}

// What is given as 0.01 has the hash that the default had while it was 0.01 (cell_hash_test.cc).
TEST_CASE("trials of an earlier default are never pooled with those of the present one", "[run]") {
  const std::string text =
      "version: 1\nstudy: fake\ntitle: Fake\nworkload: train\n"
      "axes: {devices: [1], batch_global: [8]}\n"
      "steps: {warmup: 1, measured: 2}\ntrials: {count: 3}\n";
  Room room(goes_well);
  room.folder.script("scalestudy-train", "");  // looked for, and never started
  setenv("SCALESTUDY_WORKLOADS", room.folder.path().c_str(), 1);
  room.run(parse(text + "parameters: {optimizer: adamw, learning_rate: 0.01}\n"));
  RunOptions options;
  options.accept_changes = true;

  room.run(parse(text + "parameters: {optimizer: adamw}\n"), options);

  CHECK(room.launcher.requests.size() == 6);
  const std::vector<CellRow> cells = room.store.cells(room.store.find_study("fake")->id);
  REQUIRE(cells.size() == 2);
  CHECK(cells[0].excluded_reason == "no longer in the study");
  CHECK_FALSE(cells[1].excluded_reason);
}

namespace {

// Two cells, one of them with a communication thread; a machine of three cores has none for it.
const std::string kOverlapStudy =
    "version: 1\nstudy: fake\ntitle: Fake\nworkload: train\n"
    "parameters: {batch_global: 8, devices: 2}\n"
    "axes: {overlap: [none, thread]}\n"
    "steps: {warmup: 1, measured: 2}\ntrials: {count: 2}\n";

std::string refusal(Room& room, const Study& study) {
  try {
    room.run(study);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kUsage ? error.what() : "";
  }
  return "";
}

struct OverlapRoom : Room {
  OverlapRoom()
      : Room([](const auto& request) { return test::good_trial(request, 1, "9,1,3", 2); }) {
    folder.script("scalestudy-train", "");  // looked for, and never started
    setenv("SCALESTUDY_WORKLOADS", folder.path().c_str(), 1);
    machine.core_count = 3;
  }

  // Of the first trial.
  bool had_cores_per_rank(double cores) {
    const auto by_trial = store.cores_per_rank(trials().front().study_id);
    const auto first = by_trial.find(trials().front().id);
    return first != by_trial.end() && first->second == cores;
  }
};

}  // namespace

TEST_CASE("trials on other cores than before are refused, and run on when accepted", "[run]") {
  OverlapRoom room;
  const Study study = parse(kOverlapStudy);
  room.run(study, {.max_trials = 2});
  room.machine.core_count = 4;

  CHECK_THAT(refusal(room, study),
             Contains("cores of each rank, as of overlap=") && Contains(": 1 -> 2"));
  CHECK(room.launcher.requests.size() == 2);

  room.run(study, {.accept_changes = true, .max_trials = 1});
  CHECK(count(room.run(study), TrialState::kOk) == 4);  // accepted once, not at each session
}

TEST_CASE("a cell that takes cores to the others is told with what it changes", "[run]") {
  OverlapRoom room;
  room.machine.core_count = 4;
  room.run(parse(kOverlapStudy, {"axes.overlap=[none]"}), {.max_trials = 1});

  CHECK_THAT(refusal(room, parse(kOverlapStudy)),
             Contains("axes.overlap: [none] -> [none, thread]") &&
                 Contains("cores of each rank, as of overlap=none: 1 -> 2"));
}

TEST_CASE("trials of before cores were recorded had as many as threads", "[run]") {
  OverlapRoom room;
  const Study study = parse(kOverlapStudy);
  room.run(study, {.max_trials = 2});
  SQLite::Database database(room.store.results_folder() / "results.db", SQLite::OPEN_READWRITE);
  database.exec("UPDATE telemetry SET name = 'threads' WHERE name = 'cores_per_rank'");

  CHECK(room.had_cores_per_rank(1.0));
  room.machine.core_count = 4;
  CHECK_THAT(refusal(room, study), Contains("cores of each rank") && Contains(": 1 -> 2"));
  room.machine.core_count = 3;
  CHECK(count(room.run(study), TrialState::kOk) == 4);

  database.exec(
      "INSERT OR REPLACE INTO cell_parameter (cell_id, name, value, kind, varied) SELECT id, "
      "'backend', 'cuda', 'text', 0 FROM cell; "
      "UPDATE telemetry SET name = 'threads' WHERE name = 'cores_per_rank'");
  CHECK_FALSE(room.had_cores_per_rank(1.0));  // it had its GPU's share
}

TEST_CASE("where no trial is left to run, other cores are no reason to refuse", "[run]") {
  OverlapRoom room;
  const Study study = parse(kOverlapStudy);
  room.run(study);
  room.machine.core_count = 4;

  CHECK(room.run(study).run_now == 0);
}

TEST_CASE("a title may change without being a changed study", "[run]") {
  Room room(goes_well);
  room.run(parse(kStudy));

  CHECK_NOTHROW(room.run(parse(kStudy, {"title=Another"})));
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

namespace {

// A rule that has enough with five trials.
Precision five_trials(const std::vector<TrialMean>& means) {
  Precision precision{.relative_half_width = 0.01, .stop_at = {}};
  if (means.size() >= 5) {
    precision.stop_at = 5;
  }
  return precision;
}

}  // namespace

TEST_CASE("an adaptive study stops when the rule has stopped every cell", "[run]") {
  Room room(goes_well);
  room.precision = five_trials;
  const Study study = parse(kStudy, {"trials={min: 2, max: 9, until: 2%}"});

  const RunSummary summary = room.run(study);

  CHECK(summary.run_now == 10);  // blocks 0 to 4 of two cells
  CHECK(count(summary, TrialState::kSkipped) == 8);
  CHECK(room.trials().back().reason == "precision reached");
  CHECK(room.trials().back().skip_reason == SkipReason::kPrecise);
  CHECK(room.run(study).run_now == 0);
}

// By hand: 30 s for two steps, each of which took 20 s on its slowest rank.
TEST_CASE("the rule and the progress get the window's share of a step", "[run]") {
  Room room([](const LaunchRequest& request) {
    const LaunchResult result = test::good_trial(request, 1, "9,20,20", 2);
    std::string text = test::read_file(request.output_path);
    const std::size_t end = text.find(R"({"v":1,"event":"end")");
    text.insert(end,
                R"({"v":1,"event":"samples","metric":"window_time_s","unit":"s","warmup":0,)"
                R"("values":[30]})"
                "\n");
    std::ofstream(request.output_path) << text;
    return result;
  });
  std::vector<double> last;
  room.precision = [&](const std::vector<TrialMean>& trials) {
    last.clear();
    for (const TrialMean& trial : trials) {
      last.push_back(trial.step_time_s);
    }
    return five_trials(trials);
  };
  const Study study = parse(kStudy, {"trials={min: 2, max: 9, until: 2%}"});

  room.run(study, {.max_trials = 9});
  CHECK(room.heard[1].step_time_s == Approx(15.0));
  CHECK(last == std::vector<double>(4, 15.0));  // of the complete blocks
  room.run(study);                              // from the store

  CHECK(last == std::vector<double>(5, 15.0));
}

TEST_CASE("the rule is told which session ran each trial", "[run]") {
  Room room(goes_well);
  std::vector<std::optional<std::int64_t>> sessions;
  room.precision = [&](const std::vector<TrialMean>& trials) {
    sessions.clear();
    for (const TrialMean& trial : trials) {
      sessions.push_back(trial.session);
    }
    return five_trials(trials);
  };
  const Study study = parse(kStudy, {"trials={min: 2, max: 9, until: 2%}"});

  room.run(study, {.max_trials = 4});  // two blocks
  room.run(study);

  CHECK(sessions == std::vector<std::optional<std::int64_t>>{1, 1, 2, 2, 2});
}

TEST_CASE("an adaptive study that is interrupted comes to the same end", "[run]") {
  Room room(goes_well);
  room.precision = five_trials;
  const Study study = parse(kStudy, {"trials={min: 2, max: 9, until: 2%}"});

  std::int64_t total = 0;
  for (int session = 0; session < 12; ++session) {
    total += room.run(study, {.max_trials = 1}).run_now;
  }

  CHECK(total == 10);
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
