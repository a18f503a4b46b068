// How often a session asks the store.
#include "tests/support/statements.h"

#include "harness/run/run_study.h"
#include "tests/run/study_room.h"

using namespace scalestudy;

using test::goes_well;
using test::kStudy;
using test::parse;
using test::Room;
using test::Statements;

namespace {

constexpr const char* kTrials = "FROM trial WHERE study_id = ? ORDER BY position";

}  // namespace

TEST_CASE("a session reads the trials of its study once before and once after it is planned",
          "[run]") {
  const Statements statements;
  long before_first = 0;
  long step_times = 0;
  Room room([&](const LaunchRequest& request) {
    if (before_first == 0) {
      before_first = Statements::count(kTrials);
      step_times = Statements::count("FROM step_times");
    }
    return goes_well(request);
  });
  room.run(parse(kStudy), {.max_trials = 4});
  before_first = 0;
  Statements::clear();

  room.run(parse(kStudy));

  CHECK(before_first == 2);
  CHECK(step_times == 1);                                // of all four trials that ran before
  CHECK(Statements::count(kTrials) == 3);                // and of the states at its end
  CHECK(Statements::count("FROM step_times") == 1 + 2);  // one a trial
}

TEST_CASE("a further attempt needs no reading of the trials", "[run]") {
  const Statements statements;
  Room room(test::crashes_otherwise());

  room.run(parse(kStudy));

  CHECK(room.trials().size() == 12);
  CHECK(Statements::count(kTrials) == 2 + 1);  // a new study: after the plan, at the end, above
}
