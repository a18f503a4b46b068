// What p values no longer promise once results were looked at, or the order is no blocks.
#include "harness/analysis/observe/looking.h"

#include "harness/analysis/compare/comparisons.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::has_numbers;
using test::make_cell;
using test::numbers_in;
using test::observe_cell;

namespace {

SessionRow session(std::int64_t id, int count) {
  SessionRow row;
  row.id = id;
  row.study_text = "version: 1\nstudy: a\nworkload: command\ncommand: [a]\ntrials: {count: " +
                   std::to_string(count) + "}\n";
  return row;
}

TrialRow ran_in(std::int64_t session_id) {
  TrialRow trial;
  trial.session_id = session_id;
  trial.state = TrialState::kOk;
  return trial;
}

Study now(int count) {
  Study study;
  study.trials.count = count;
  return study;
}

std::vector<ThreatRow> threats(const StudyObservation& observation, const Study& study) {
  return looking_threats(observation, study, compare_cells(observation, study));
}

StudyObservation two_cells() {
  StudyObservation observation =
      test::make_observation({observe_cell(make_cell(1, 1, 64), {1.0, 1.1, 1.2}),
                              observe_cell(make_cell(2, 2, 64), {0.6, 0.7, 0.6})},
                             Scaling::kStrong);
  observation.looking.counts = {3};
  return observation;
}

}  // namespace

TEST_CASE("counts that sessions ran with are kept where they change", "[analysis]") {
  const Looking raised = find_looking({session(1, 5), session(2, 5), session(3, 10)},
                                      {ran_in(1), ran_in(2), ran_in(3)},
                                      {4},
                                      now(10));
  CHECK(raised.counts == std::vector<int>{5, 10});
  CHECK(raised.looks == std::vector<std::int64_t>{4});

  // A session without trials saw nothing; one of an older version does not say.
  SessionRow old = session(2, 7);
  old.study_text.reset();
  CHECK(find_looking({session(1, 5), old}, {ran_in(2)}, {}, now(10)).counts ==
        std::vector<int>{10});
}

TEST_CASE("a finished study as planned promises what it says", "[analysis]") {
  CHECK(threats(two_cells(), {}).empty());
}

TEST_CASE("a look before the end is told with those before it", "[analysis]") {
  StudyObservation observation = two_cells();
  observation.cells[0].planned = 5;
  observation.cells[0].waiting = 2;
  observation.looking.looks = {2, 6};
  const auto rows = threats(observation, {});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kSequential);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {6, 8}));     // ended, of all planned
  CHECK(numbers_in(rows[0].finding).back() == 2);  // the present look is none before it
  observation.looking.looks = {1, 2};
  CHECK(has_numbers(threats(observation, {}).at(0).finding, {1, 2}));
}

TEST_CASE("a number of trials that was changed is told, finished or not", "[analysis]") {
  StudyObservation observation = two_cells();
  observation.looking.counts = {2, 3};

  const ThreatRow row = threats(observation, {}).at(0);
  CHECK(row.kind == ThreatKind::kSequential);
  CHECK(has_numbers(row.finding, {2, 3}));
}

TEST_CASE("trials in a row are always warned of, where anything is compared", "[analysis]") {
  Study study;
  study.order.design = OrderDesign::kBatch;
  CHECK(threats(two_cells(), study).at(0).kind == ThreatKind::kBatchOrder);

  const auto alone =
      test::make_observation({observe_cell(make_cell(1, 1, 64), {1.0, 1.1})}, Scaling::kStrong);
  CHECK(threats(alone, study).empty());
}
