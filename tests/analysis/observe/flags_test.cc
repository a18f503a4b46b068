// Which trials and steps the declared rule marks.
#include "harness/analysis/observe/flags.h"

#include <limits>
#include <map>
#include <numeric>

#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

SeriesRow make_series(const std::vector<double>& values, int warmup) {
  return {
      .metric = kStepTime, .unit = "s", .rank = std::nullopt, .warmup_n = warmup, .values = values};
}

const OutlierRule kModifiedZ = {.rule = OutlierMethod::kModifiedZ, .threshold = 3.5};
const OutlierRule kTukey = {.rule = OutlierMethod::kTukey, .threshold = 3.0};

}  // namespace

TEST_CASE("a series is summarised without its warm-up", "[analysis]") {
  const auto summary = summarise_series(make_series({90.0, 80.0, 1.0, 4.0, 2.0, 3.0, 5.0}, 2));

  REQUIRE(summary.has_value());
  CHECK(summary->steps == 5);
  CHECK(summary->mean == Approx(3.0));
  CHECK(summary->p50 == Approx(3.0));
  CHECK(summary->p95 == Approx(4.8));   // h = 4 * 0.95 = 3.8: 4 + 0.8 * (5 - 4)
  CHECK(summary->p99 == Approx(4.96));  // h = 3.96
  CHECK(summary->last == 5.0);
}

TEST_CASE("a series of nothing but warm-up has no summary", "[analysis]") {
  CHECK_FALSE(summarise_series(make_series({1.0, 2.0}, 2)).has_value());
  CHECK_FALSE(summarise_series(make_series({}, 0)).has_value());
}

TEST_CASE("steps beyond the modified z threshold are counted with their share of time",
          "[analysis]") {
  // Oracle modified_z/just_above_3.5 (R 4.2.2): only 15.19 is out, with 3.500655. Sum 95.19.
  const std::vector<double> steps = {50.0, 9.0, 9.0, 10.0, 10.0, 11.0, 11.0, 15.19, 9.0, 11.0};
  const StepFlags flags = flag_steps(make_series(steps, 1), kModifiedZ);

  CHECK(flags.flagged == 1);
  CHECK(flags.flagged_share == Approx(15.19 / 95.19));
}

TEST_CASE("a step just inside the threshold is not marked", "[analysis]") {
  // Oracle modified_z/just_below_3.5: 15.189 scores 3.4999805.
  const std::vector<double> steps = {9.0, 9.0, 10.0, 10.0, 11.0, 11.0, 15.189, 9.0, 11.0};
  const StepFlags flags = flag_steps(make_series(steps, 0), kModifiedZ);

  CHECK(flags.flagged == 0);
  CHECK(flags.flagged_share == 0.0);
}

TEST_CASE("the tukey rule counts multiples of the interquartile range", "[analysis]") {
  // Quartiles of 1..8 with type 7 are 2.75 and 6.25, IQR 3.5; with 17 added they are 3 and 7, IQR
  // 4: 17 is (17 - 7) / 4 = 2.5 ranges out.
  const std::vector<double> steps = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 17.0};

  CHECK(flag_steps(make_series(steps, 0), kTukey).flagged == 0);
  CHECK(flag_steps(make_series(steps, 0), {.rule = OutlierMethod::kTukey, .threshold = 2.4})
            .flagged == 1);
}

TEST_CASE("any step off a constant rest is out under the tukey rule", "[analysis]") {
  CHECK(flag_steps(make_series({1.0, 1.0, 1.0, 1.0, 1.0, 1.001}, 0), kTukey).flagged == 1);
}

TEST_CASE("the slope of a trial is relative and per hundred steps", "[analysis]") {
  // 1.0, 1.1, 1.2: 0.1 per step on a mean of 1.1.
  const StepFlags flags = flag_steps(make_series({1.0, 1.1, 1.2}, 0), kModifiedZ);

  REQUIRE(flags.slope.has_value());
  CHECK(*flags.slope == Approx(100.0 * 0.1 / 1.1));
  CHECK_FALSE(flag_steps(make_series({1.0, 1.1}, 0), kModifiedZ).slope.has_value());
}

TEST_CASE("times are counted where few of them differ", "[analysis]") {
  using Counts = std::map<double, std::int64_t>;
  CHECK(flag_steps(make_series({9.0, 1.0, 2.0, 1.0}, 1), kModifiedZ).values ==
        Counts{{1.0, 2}, {2.0, 1}});
  std::vector<double> steps(kMostStepValues + 1);
  std::iota(steps.begin(), steps.end(), 1.0);
  CHECK(flag_steps(make_series(steps, 1), kModifiedZ).values.size() == kMostStepValues);
  CHECK(flag_steps(make_series(steps, 0), kModifiedZ).values.empty());
}

TEST_CASE("a trial is marked among the trials of its cell", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 256),
                                            {9.0, 9.0, 10.0, 10.0, 11.0, 11.0, 15.19, 9.0, 11.0});
  flag_trials(kModifiedZ, cell);

  CHECK(cell.trials[6].flagged);
  CHECK(cell.trials[6].score == Approx(3.500655));  // oracle modified_z/just_above_3.5
  CHECK_FALSE(cell.trials[5].flagged);
}

TEST_CASE("two trials have no centre to stand out from", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 256), {1.0, 100.0});
  flag_trials(kModifiedZ, cell);

  CHECK_FALSE(cell.trials[1].flagged);
  CHECK_FALSE(cell.trials[1].score.has_value());
}

TEST_CASE("marks become rows for trials and for steps", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 256), {1.0, 2.0});
  cell.trials[0].flagged = true;
  cell.trials[0].score = 4.5;
  cell.trials[1].steps = {.flagged = 7, .flagged_share = 0.041, .slope = std::nullopt};
  const std::vector<FlagRow> rows =
      flag_rows(test::make_observation({cell}, Scaling::kStrong), kModifiedZ);

  REQUIRE(rows.size() == 2);
  CHECK(rows[0].level == FlagLevel::kTrial);
  CHECK(rows[0].trial_id == 1000);
  CHECK(rows[0].score == 4.5);
  CHECK(rows[0].rule == "modified-z > 3.5");
  CHECK(rows[1].level == FlagLevel::kStep);
  CHECK(rows[1].trial_id == 1001);
  CHECK(rows[1].count == 7);
  CHECK(rows[1].share == 0.041);
  CHECK_FALSE(rows[1].score.has_value());
}

TEST_CASE("marked steps are added up over the trials of their cell", "[analysis]") {
  CellObservation marked = test::observe_cell(test::make_cell(1, 1, 256), {1.0, 3.0, 4.0});
  marked.trials[0].steps = {.flagged = 2, .flagged_share = 0.5, .slope = std::nullopt};
  marked.trials[1].steps = {.flagged = 1, .flagged_share = 0.1, .slope = std::nullopt};
  marked.trials[2].metrics.clear();  // without a step time it has no share of the time
  const CellObservation clean = test::observe_cell(test::make_cell(2, 1, 256), {1.0});
  const std::int64_t steps = marked.trials[0].metrics.at(kStepTime).steps;

  const std::vector<FlaggedStepsRow> rows =
      flagged_steps(test::make_observation({marked, clean}, Scaling::kStrong));

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].cell_id == 1);
  CHECK(rows[0].trials == 2);
  CHECK(rows[0].flagged_trials == 2);
  CHECK(rows[0].steps == 2 * steps);
  CHECK(rows[0].flagged_steps == 3);
  CHECK(rows[0].share == Approx((0.5 * 1.0 + 0.1 * 3.0) / 4.0));
}

TEST_CASE("a step time that is none has no part in marked steps", "[analysis]") {
  CellObservation cell = test::observe_cell(test::make_cell(1, 1, 256), {1.0});
  cell.trials[0].steps = {.flagged = 2, .flagged_share = 0.5, .slope = std::nullopt};
  cell.trials[0].metrics.at(kStepTime).mean = std::numeric_limits<double>::quiet_NaN();

  CHECK(flagged_steps(test::make_observation({cell}, Scaling::kStrong)).empty());
}

TEST_CASE("the rule is named with its unit", "[analysis]") {
  CHECK(format_rule(kTukey) == "tukey > 3 IQR");
}
