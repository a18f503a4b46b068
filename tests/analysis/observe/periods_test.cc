// Periods in stored step times.
#include "harness/analysis/observe/periods.h"

#include "harness/analysis/analyse.h"
#include "harness/analysis/observe/observe.h"
#include "harness/study/parse.h"
#include "tests/analysis/found_rows.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tests/support/statements.h"

using namespace scalestudy;

namespace {

Study extracted_study() {
  const ParsedStudy parsed = parse_study(
      "version: 1\nstudy: by-hand\nworkload: command\ncommand: [train]\n"
      "extract: [{metric: step_time_s, unit: s, regex: '(.*)'}]\n"
      "steps: {warmup: 5, measured: rest}\ntrials: {count: 8}\n",
      "by-hand.yaml",
      {});
  REQUIRE(parsed.problems.empty());
  return parsed.study;
}

// Eight trials of 60 steps of 0.5 s, the first five warm-up; every tenth takes so many times as
// long, and each as much more than the one before.
test::StoredStudy make_store(double factor, double growth = 0.0) {
  CellRow cell;
  cell.hash = "one";
  cell.label = "devices=1";
  test::StoredStudy stored(Scaling::kNone, {cell}, 8);
  test::Random random(11);
  for (std::int64_t block = 0; block < 8; ++block) {
    std::vector<double> steps;
    for (int i = 0; i < 60; ++i) {
      steps.push_back((0.5 + 0.01 * random.normal()) * (1.0 + growth * i) *
                      (i % 10 == 0 ? factor : 1.0));
    }
    stored.finish({.cell = "one", .block = block, .series = {test::step_times(steps, 5)}});
  }
  return stored;
}

}  // namespace

TEST_CASE("a period is told with its share of the time, and is no trend", "[analysis]") {
  const test::StoredStudy stored = make_store(8.0);

  const StudyObservation observation =
      observe(stored.store(), stored.study_id(), extracted_study());
  const Results results = analyse(stored.store(), stored.study_id(), extracted_study());

  // 5 of 55 steps of 4 s: 20 of 45 s.
  REQUIRE(observation.cells[0].period);
  CHECK(observation.cells[0].period->steps == 10);
  CHECK(observation.cells[0].period->factor == Approx(8.0).epsilon(0.02));
  CHECK(observation.cells[0].period->share == Approx(20.0 / 45.0).epsilon(0.02));
  CHECK(observation.cells[0].period->trials == 8);
  CHECK(test::has_threat(results, ThreatKind::kPeriodicSteps));
  CHECK_FALSE(test::has_threat(results, ThreatKind::kWarmUp));
}

TEST_CASE("a trend of the other steps is still warned of", "[analysis]") {
  const test::StoredStudy stored = make_store(8.0, 0.002);

  const StudyObservation observation =
      observe(stored.store(), stored.study_id(), extracted_study());

  // 0.2 % a step of the first, 20 % per 100, over the mean of steps 5 to 59, which is 6.4 % more.
  REQUIRE(observation.cells[0].period);
  CHECK(*observation.cells[0].trials[0].steps.slope == Approx(0.2 / 1.064).epsilon(0.2));
  CHECK(test::has_threat(analyse(stored.store(), stored.study_id(), extracted_study()),
                         ThreatKind::kWarmUp));
}

TEST_CASE("steps without a period keep their slopes, and so do those that hardly have one",
          "[analysis]") {
  for (const double factor : {1.0, 1.09}) {  // 5 x 0.045 of 27.7 s are 0.8 %
    const test::StoredStudy stored = make_store(factor);
    const Results results = analyse(stored.store(), stored.study_id(), extracted_study());
    INFO(factor);
    CHECK_FALSE(test::has_threat(results, ThreatKind::kPeriodicSteps));
  }
}

TEST_CASE("step times without a period are read once", "[analysis]") {
  const test::Statements statements;
  const test::StoredStudy stored = make_store(1.0);
  test::Statements::clear();

  const StudyObservation observation =
      observe(stored.store(), stored.study_id(), extracted_study());

  CHECK_FALSE(observation.cells.at(0).period);
  CHECK(test::Statements::count("values_json") == 1);
}
