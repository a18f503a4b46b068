#include "harness/run/attempt/time_limit.h"

#include "tests/run/study_room.h"

using namespace scalestudy;
using test::parse;
using test::Room;

TEST_CASE("a trial may take ten times the longest of its cell, a minute at least", "[run]") {
  TimeLimits limits{Limits()};
  CHECK(limits.of(1).limit_s == 600.0);
  CHECK_FALSE(limits.of(1).longest_s.has_value());

  limits.add(1, 2.0);
  limits.add(1, 30.0);
  limits.add(1, 3.0);
  limits.add(2, 2.0);

  CHECK(limits.of(1).limit_s == 300.0);
  CHECK(limits.of(1).longest_s == 30.0);
  CHECK(limits.of(2).limit_s == 60.0);
  CHECK(limits.of(3).limit_s == 600.0);  // another cell says little of it
  limits.add(2, 90.0);
  CHECK(limits.of(3).limit_s == 900.0);  // but that this machine is slow
  Limits declared;
  declared.timeout_s = 7.0;
  CHECK(TimeLimits(declared).of(1).limit_s == 7.0);
}

TEST_CASE("a trial that hangs ends by the limit that its cell's first trials set", "[run]") {
  Room room([&, trials = 0](const LaunchRequest& request) mutable {
    if (++trials < 3) {
      LaunchResult result = test::goes_well(request);
      result.wall_s = 8.0;
      return result;
    }
    LaunchResult hangs;
    hangs.ending = LaunchEnding::kTimeout;
    hangs.wall_s = request.timeout_s;
    return hangs;
  });

  room.run(parse(test::kStudy, {"limits.retries=0"}));

  REQUIRE(room.launcher.requests.size() >= 3);
  CHECK(room.launcher.requests[0].timeout_s == 600.0);
  CHECK(room.launcher.requests[1].timeout_s == 600.0);
  CHECK(room.launcher.requests[2].timeout_s == 80.0);
  const auto trials = room.trials();
  const auto hung = std::ranges::find(trials, TrialState::kTimeout, &TrialRow::state);
  REQUIRE(hung != trials.end());
  CHECK_THAT(hung->reason, Catch::Contains("still running after 1 min 20 s"));
  CHECK_THAT(hung->reason, Catch::Contains("the longest before it took 8 s"));
  const QueryResult stored = room.store.query(
      "SELECT name, value, unit FROM telemetry WHERE name LIKE 'time_limit%' AND trial_id = " +
      std::to_string(hung->id) + " ORDER BY name");
  REQUIRE(stored.rows.size() == 2);
  CHECK(stored.rows[0][1] == Field(8.0));
  CHECK(stored.rows[1][1] == Field(80.0));
}

TEST_CASE("later sessions know the limit from the trials of earlier ones", "[run]") {
  Room room(test::goes_well);
  room.run(parse(test::kStudy, {"trials.count=1"}));
  room.run(parse(test::kStudy));
  CHECK(room.launcher.requests.back().timeout_s == 60.0);
  CHECK(room.launcher.requests[2].timeout_s == 60.0);

  room.run(parse(test::kStudy, {"trials.count=4", "limits.timeout=5s"}), {.accept_changes = true});
  CHECK(room.launcher.requests.back().timeout_s == 5.0);
}
