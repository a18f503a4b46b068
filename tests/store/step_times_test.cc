// The time of a step: from the trial's window, from the step times of its ranks, or the mean.
#include "harness/store/rows/runs.h"
#include "tests/store/filled_store.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

// Two ranks, 10 and 20 s in turn, the other way round on the second; behind a warm-up step.
TrialRecord slow_in_turn(const TrialRow& trial) {
  TrialRecord record = make_record(trial, {20.0, 20.0, 20.0, 20.0});
  for (int rank = 0; rank < 2; ++rank) {
    const double first = rank == 0 ? 10.0 : 20.5;
    record.series.push_back(
        make_series("step_time_s", {9.0, first, 30.0 - first, first, 30.0 - first}, 1));
    record.series.back().rank = rank;
  }
  record.series.back().values.back() += 2.0;  // rank 1: 20.5, 9.5, 20.5, 11.5
  return record;
}

}  // namespace

TEST_CASE("the time of a step is the window's share of it, where there is a window", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = slow_in_turn(planned.trials[0]);
  record.series.push_back(make_series("window_time_s", {64.0}));
  store.finish_trial(record, false);

  const StepTime time = store.step_time(planned.trials[0].id).value();

  CHECK(time.mean_s == 16.0);  // 64 s, 4 measured steps
  CHECK(time.steps == 4);
  CHECK(time.definition == StepTimeDefinition::kWindow);
  CHECK(time.slowest_rank == 1);
  CHECK(store.query("SELECT step_time_s_mean, definition FROM trials WHERE state = 'ok'").rows ==
        std::vector<std::vector<Field>>{{16.0, std::string("window")}});
}

TEST_CASE("an old trial of train has its window from the step times of its ranks", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  TrialRecord record = slow_in_turn(planned.trials[0]);
  record.telemetry.push_back({.name = "tail_bucket_bytes", .value = 4.0, .unit = "bytes"});
  store.finish_trial(record, false);

  const StepTime time = store.step_time(planned.trials[0].id).value();

  CHECK(time.mean_s == 15.5);  // rank 0: 60 s; rank 1: 62 s, of 4 steps each
  CHECK(time.definition == StepTimeDefinition::kWindow);
  CHECK(time.slowest_rank == 1);
  std::vector<double> last;
  store.for_each_slowest_series(planned.study_id, [&](const TrialRow&, const SeriesRow& series) {
    CHECK(series.metric == "step_time_s");
    CHECK(series.rank == 1);
    last.push_back(series.values.back());
  });
  CHECK(last == std::vector<double>{11.5});
}

TEST_CASE("without a window the time of a step is the mean of the measured step times", "[store]") {
  Store store = Store::open_in_memory();
  const Planned planned = plan_small_study(store);
  store.finish_trial(slow_in_turn(planned.trials[0]), false);
  // Several values are no window.
  TrialRecord several = make_record(planned.trials[1], {1.0, 2.0});
  several.series.push_back(make_series("window_time_s", {1.0, 1.0}));
  store.finish_trial(several, false);
  TrialRecord none = make_record(planned.trials[2], {});
  store.finish_trial(none, false);

  CHECK(store.step_time(planned.trials[0].id)->mean_s == 20.0);
  CHECK(store.step_time(planned.trials[0].id)->definition == StepTimeDefinition::kSteps);
  CHECK_FALSE(store.step_time(planned.trials[0].id)->slowest_rank.has_value());
  CHECK(store.step_time(planned.trials[1].id)->mean_s == 1.5);
  CHECK_FALSE(store.step_time(planned.trials[2].id).has_value());
}
