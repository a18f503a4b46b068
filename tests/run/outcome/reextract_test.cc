// Values of kept logs read again.
#include "harness/run/outcome/reextract.h"

#include "harness/base/error.h"
#include "harness/store/rows/put_aside.h"
#include "harness/study/declared/reading.h"
#include "tests/run/study_room.h"

using namespace scalestudy;
using test::parse;
using test::Room;

namespace {

// What its trials print is in ms, and the rule says s.
const std::string kWrong = R"(version: 1
study: fake
workload: command
command: ["true", "{size}"]
extract: [{metric: step_time_s, unit: s, regex: 't=(\S+)'}]
axes: {size: [1, 2]}
steps: {warmup: 1, measured: 2}
trials: {count: 1}
limits: {retries: 0}
)";

const std::vector<std::string> kMended{"extract.0.unit=ms"};

LaunchResult prints(const LaunchRequest& request, const std::string& text) {
  std::ofstream(request.stdout_path) << text;
  std::ofstream(request.stderr_path) << "";
  LaunchResult result;
  result.ending = LaunchEnding::kExited;
  result.exit_code = 0;
  result.wall_s = 2.0;
  return result;
}

LaunchResult prints_times(const LaunchRequest& request) {
  return prints(request, "t=9\nt=1\nt=3\n");
}

std::vector<TrialRow> counting(Room& room) {
  std::vector<TrialRow> trials;
  for (const TrialRow& trial : room.trials()) {
    if (!trial.superseded) {
      trials.push_back(trial);
    }
  }
  return trials;
}

// Reads the logs again, and accepts what they give.
std::vector<Reread> reread(const Study& study, Store& store) {
  std::vector<Reread> readings = reread_logs(study, store);
  accept_readings(study, readings, store);
  return readings;
}

}  // namespace

TEST_CASE("reading logs again stores nothing before it is accepted", "[run]") {
  Room room(prints_times);
  room.run(parse(kWrong));
  const std::string hash = room.store.find_study("fake")->hash;

  const auto told = reread_logs(parse(kWrong, kMended), room.store);

  REQUIRE(told.size() == 2);
  CHECK(told[0].what == "step_time_s: mean 2 s of 2 -> mean 0.002 s of 2");
  CHECK(room.trials().size() == 2);
  CHECK(room.store.find_study("fake")->hash == hash);

  const auto bare =
      reread_logs(parse(kWrong,
                        {"extract=[{metric: step_time_s, unit: s, regex: 't=(.*)'}, {metric: loss, "
                         "unit: \"1\", regex: 't=(.*)'}]"}),
                  room.store);
  CHECK(bare.at(0).what == "loss: nothing -> mean 2 of 2");
}

TEST_CASE("what a reading changes is told of each rank", "[run]") {
  Room room([](const LaunchRequest& request) {
    return prints(request, "r0 t=9\nr1 t=9\nr0 t=1\nr1 t=0.5\nr0 t=3\nr1 t=2\n");
  });
  const std::string by_rank = R"(extract.0.regex=r(?<rank>\d) t=(\S+))";
  room.run(parse(kWrong, {by_rank}));

  CHECK(reread_logs(parse(kWrong, {by_rank, kMended[0]}), room.store).at(0).what ==
        "step_time_s: mean 2 s of 2 -> mean 0.002 s of 2; "
        "step_time_s of rank 0: mean 2 s of 2 -> mean 0.002 s of 2; "
        "step_time_s of rank 1: mean 1.25 s of 2 -> mean 0.00125 s of 2");
}

TEST_CASE("trials tell by which rules they were read", "[run]") {
  Room room(prints_times);
  room.run(parse(kWrong));
  CHECK(room.trials().front().rules_hash == rules_hash(parse(kWrong)));
  const Study alike = parse(kWrong, {"extract.0.regex=t=([0-9]+)"});

  reread(alike, room.store);
  CHECK(counting(room).at(0).rules_hash == rules_hash(alike));
  CHECK(room.trials().size() == 2);
  reread(parse(kWrong, kMended), room.store);

  CHECK(counting(room).at(0).rules_hash == rules_hash(parse(kWrong, kMended)));
  CHECK(room.trials().front().rules_hash == rules_hash(alike));  // superseded
}

TEST_CASE("what an older reading told of the lines is not taken over", "[run]") {
  Room room([](const LaunchRequest& request) {
    return prints(request,
                  "step 1 t=9\nstep 1 t=8\nstep 2 t=1\nstep 2 t=3\nstep 3 t=4\nstep 3 t=4\n");
  });
  const std::string rest = "steps={warmup: 1, measured: rest}";
  const auto facts = [&room] {
    return std::get<std::int64_t>(
        room.store
            .query(
                "SELECT count(*) FROM telemetry JOIN trial ON trial.id = trial_id WHERE "
                "telemetry.name = 'repeated_lines' AND trial.attempt = (SELECT max(attempt) FROM "
                "trial)")
            .rows.at(0)
            .at(0));
  };
  room.run(parse(kWrong, {rest}));
  CHECK(facts() == 2);

  reread(parse(kWrong, {rest, R"(extract.0.regex=step (?<step>\d+) t=(\S+))"}), room.store);

  CHECK(room.store.series(counting(room).at(0).id).at(0).values == std::vector<double>{9, 3, 4});
  CHECK(facts() == 0);
}

TEST_CASE("a mended rule gives new values, and the old ones stay as an earlier attempt", "[run]") {
  Room room(prints_times);
  room.run(parse(kWrong));

  const auto told = reread(parse(kWrong, kMended), room.store);

  REQUIRE(told.size() == 2);
  CHECK(told[0].what == "step_time_s: mean 2 s of 2 -> mean 0.002 s of 2");
  const std::vector<TrialRow> now = counting(room);
  REQUIRE(now.size() == 2);
  CHECK(now[0].attempt == 2);
  CHECK(now[0].state == TrialState::kOk);
  CHECK(now[0].wall_s == 2.0);
  CHECK(*now[0].steps_share == Approx(0.013 / 2.0));
  CHECK(now[0].session_id == room.trials().front().session_id);
  CHECK(room.store.series(now[0].id).at(0).values ==
        std::vector<double>{9 * 1e-3, 1 * 1e-3, 3 * 1e-3});
  CHECK(room.trials().size() == 4);
  CHECK(room.store.series(room.trials().front().id).at(0).values ==
        std::vector<double>{9.0, 1.0, 3.0});
  CHECK(room.store.telemetry(room.store.find_study("fake")->id).contains(now[0].id));
  CHECK(room.store.query("SELECT trials, trial_s FROM sessions").rows.at(0) ==
        std::vector<Field>{std::int64_t{2}, 4.0});  // two runs, whatever was read of them
}

TEST_CASE("reading a second time changes nothing, and the study is the mended one", "[run]") {
  Room room(prints_times);
  room.run(parse(kWrong));
  reread(parse(kWrong, kMended), room.store);

  const auto again = reread(parse(kWrong, kMended), room.store);

  REQUIRE(again.size() == 2);
  CHECK(again[0].what.empty());
  CHECK(room.trials().size() == 4);
  CHECK(room.run(parse(kWrong, kMended)).run_now == 0);
}

TEST_CASE("a trial that another rule reads alike says so once, and stays one attempt", "[run]") {
  Room room(prints_times);
  room.run(parse(kWrong));
  const Study other = parse(kWrong, {"extract.0.regex=t=([0-9]+)"});
  const auto events = [&room] {
    return room.store
        .query("SELECT text FROM log WHERE stream = 'event' AND text LIKE 'read again%'")
        .rows;
  };

  reread(parse(kWrong), room.store);
  CHECK(events().empty());  // the rules of the run
  const auto told = reread(other, room.store);
  reread(other, room.store);

  CHECK(told.at(0).what.empty());
  CHECK(room.trials().size() == 2);
  REQUIRE(events().size() == 2);
  CHECK(std::get<std::string>(events().at(0).at(0)) ==
        reading_mark(other) + ", from the logs of attempt 1: as it was");
}

TEST_CASE("a trial that a wrong rule failed becomes ok", "[run]") {
  Room room([](const LaunchRequest& request) { return prints(request, "u=9\nu=1\nu=3\n"); });
  room.run(parse(kWrong));
  REQUIRE(room.trials().front().state == TrialState::kFailed);

  const auto told = reread(parse(kWrong, {"extract.0.regex=u=(\\S+)"}), room.store);

  CHECK_THAT(told.at(0).what, Catch::StartsWith("failed -> ok; step_time_s: nothing -> mean 2 s"));
  CHECK(counting(room).at(0).state == TrialState::kOk);
}

TEST_CASE("trials that failed by themselves, wrote the protocol or lost their logs are left alone",
          "[run]") {
  Room room([](const LaunchRequest& request) {
    if (request.argv.at(1) == "1") {
      return test::good_trial(request, 1, "9,1,3");
    }
    return prints_times(request);
  });
  room.run(parse(kWrong));
  std::filesystem::remove_all(room.folder.path() / "logs");

  const auto told = reread(parse(kWrong, kMended), room.store);

  REQUIRE(told.size() == 2);
  std::vector<std::string> reasons{told[0].left_alone, told[1].left_alone};
  std::sort(reasons.begin(), reasons.end());
  CHECK(reasons == std::vector<std::string>{"it wrote the trial protocol, no rule gave its values",
                                            "its logs are gone"});
  CHECK(room.trials().size() == 2);
}

TEST_CASE("trials that were excluded by hand or put aside as disturbed stay so", "[run]") {
  Room room([&](const LaunchRequest& request) {
    room.machine.readings = {{"cpu_throttled", request.argv.at(1) == "1" ? 0.5 : 0.0, "1"}};
    return prints_times(request);
  });
  const std::string requeue = "validity={policy: requeue, calibration: none}";
  room.run(parse(kWrong, {requeue}));
  for (const TrialRow& trial : counting(room)) {
    if (trial.state == TrialState::kOk) {
      room.store.annotate({trial.id, "2026-11-23T00:00:00Z", AnnotationKind::kExclude, "a backup"});
    }
  }
  const std::size_t before = room.trials().size();

  const auto told = reread(parse(kWrong, {requeue, kMended[0]}), room.store);

  REQUIRE(told.size() == 2);
  CHECK(room.trials().size() == before);
  std::string reasons;
  for (const Reread& reread : told) {
    CHECK(reread.after.state == TrialState::kInvalid);
    reasons += reread.left_alone + "\n";
  }
  CHECK_THAT(reasons, Catch::Contains("it does not count: excluded by hand: a backup"));
  CHECK_THAT(reasons, Catch::Contains("it does not count: throttled: "));
}

TEST_CASE("a disturbed trial that a wrong rule made invalid counts again, with its mark", "[run]") {
  Room room([&](const LaunchRequest& request) {
    room.machine.readings = {{"cpu_throttled", 0.5, "1"}};
    return prints(request, "t=9 ms\nt=1 ms\nt=3 ms\n");
  });
  room.run(parse(kWrong, kMended));
  for (const TrialRow& trial : counting(room)) {
    REQUIRE(trial.state == TrialState::kOk);
    REQUIRE(trial.disturbance == Disturbance::kThrottled);
  }

  reread(parse(kWrong), room.store);
  for (const TrialRow& trial : counting(room)) {
    CHECK(trial.state == TrialState::kInvalid);
    CHECK_FALSE(is_put_aside(trial));
  }
  const auto told = reread(parse(kWrong, kMended), room.store);

  REQUIRE(told.size() == 2);
  CHECK(told[0].left_alone.empty());
  for (const TrialRow& trial : counting(room)) {
    CHECK(trial.state == TrialState::kOk);
    CHECK(trial.disturbance == Disturbance::kThrottled);
  }
}

TEST_CASE("a log is read as a whole before it is cut, and not read again", "[run]") {
  std::string much;  // the times are in what is left out
  while (much.size() < std::size_t{17} << 20U) {
    much += std::string(1023, '.') + "\n";
  }
  Room room([&](const LaunchRequest& request) {
    return prints(request, much + "t=9\nt=1\nt=3\n" + much);
  });
  room.run(parse(kWrong, {"axes.size=[1]"}));
  CHECK(room.trials().at(0).state == TrialState::kOk);

  const auto told = reread(parse(kWrong, {"axes.size=[1]", kMended[0]}), room.store);

  CHECK(told.at(0).left_alone == "its log was not kept whole");
}

TEST_CASE("a study that differs in more than its rules is refused", "[run]") {
  Room room(prints_times);
  room.run(parse(kWrong));

  CHECK_THROWS_WITH(reread_logs(parse(kWrong, {"axes.size=[1, 3]"}), room.store),
                    Catch::Contains("axes.size"));
}
