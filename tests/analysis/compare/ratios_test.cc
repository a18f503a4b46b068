// Which trials of two cells are compared, and as what.
#include "harness/analysis/compare/ratios.h"

#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::in_session;
using test::learn_cell;
using test::make_cell;
using test::observe_cell;

namespace {

CellObservation base() {
  return observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.3, 1.4, 1.5});
}

CellObservation cell() {
  return observe_cell(make_cell(2, 2, 8), {0.5, 0.6, 0.7, 0.8, 0.9, 1.0});
}

Study batch_study() {
  Study study;
  study.order.design = OrderDesign::kBatch;
  return study;
}

// One trial a session, from session 1 on.
CellObservation each_in_its_session(CellObservation cell) {
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {
    cell = in_session(std::move(cell), static_cast<std::int64_t>(i) + 1, i);
  }
  return cell;
}

}  // namespace

TEST_CASE("blocks of one number in two sessions make no pair", "[analysis]") {
  const CellObservation first = in_session(base(), 1);
  const CellObservation later = in_session(cell(), 2);
  const TimeRatio ratio = time_ratio(first, later, 1.0, {});

  CHECK(ratio.interval.status == stats::Status::kInsufficientData);
  CHECK_FALSE(ratio.interval.ratio.has_value());
  CHECK(ratio.left_out == 6);
  CHECK(ratio.left_out_base == 6);
  CHECK(ratio.trials.empty());
  CHECK(ratio.base_trials.empty());
}

TEST_CASE("one block of several is no ratio", "[analysis]") {
  const TimeRatio one =
      time_ratio(in_session(base(), 1), in_session(in_session(cell(), 1), 2, 1), 1.0, {});
  CHECK_FALSE(one.interval.ratio.has_value());
  CHECK(one.interval.n_b == 1);
  CHECK(one.left_out == 5);
  CHECK(one.left_out_base == 5);

  const TimeRatio all = time_ratio(
      observe_cell(make_cell(1, 1, 8), {1.0}), observe_cell(make_cell(2, 2, 8), {0.5}), 1.0, {});
  CHECK(all.interval.ratio == 2.0);
}

TEST_CASE("an order without blocks keeps all trials", "[analysis]") {
  const TimeRatio ratio =
      time_ratio(in_session(base(), 1), in_session(cell(), 2), 1.0, batch_study());

  CHECK(ratio.method == RatioMethod::kIndependent);
  CHECK(ratio.interval.n_a == 6);
  CHECK(ratio.left_out == 0);
  CHECK(ratio.sessions == 2);
  CHECK(ratio.trials == TrialIds{2000, 2001, 2002, 2003, 2004, 2005});
}

TEST_CASE("a study resumed after three blocks keeps all its pairs", "[analysis]") {
  const CellObservation first = in_session(in_session(base(), 1), 2, 3);
  const CellObservation second = in_session(in_session(cell(), 1), 2, 3);
  const TimeRatio ratio = time_ratio(first, second, 1.0, {});

  CHECK(ratio.method == RatioMethod::kPaired);
  CHECK(ratio.interval.n_a == 6);
  CHECK(ratio.sessions == 2);
  CHECK(ratio.geometric.ratio.has_value());
}

TEST_CASE("a trial that a later session ran again leaves the others their pairs", "[analysis]") {
  const TimeRatio ratio =
      time_ratio(in_session(base(), 1), in_session(in_session(cell(), 1), 2, 5), 1.0, {});

  CHECK(ratio.method == RatioMethod::kPaired);
  CHECK(ratio.interval.n_a == 5);
  CHECK(ratio.left_out == 1);
  CHECK(ratio.sessions == 1);
  CHECK(ratio.trials == TrialIds{2000, 2001, 2002, 2003, 2004});
  CHECK(ratio.base_trials == TrialIds{1000, 1001, 1002, 1003, 1004});
}

TEST_CASE("from five sessions on their means are paired", "[analysis]") {
  // Blocks 0 and 1 in session 1, then one a session.
  CellObservation first = each_in_its_session(base());
  CellObservation second = each_in_its_session(cell());
  first.trials[1].row.session_id = 1;
  second.trials[1].row.session_id = 1;
  for (const Study& study : {Study{}, batch_study()}) {
    const TimeRatio ratio = time_ratio(first, second, 1.0, study);

    CHECK(ratio.method == RatioMethod::kSessions);
    CHECK(ratio.interval.n_a == 5);
    CHECK(*ratio.interval.df == 4.0);
    CHECK(ratio.trials.size() == 6);
    // Means of sessions 1.05, 1.2, 1.3, 1.4, 1.5 and 0.55, 0.7, 0.8, 0.9, 1.0.
    CHECK(*ratio.interval.ratio == Approx(6.45 / 3.95));
  }
  first.trials[5].row.session_id = 5;
  second.trials[5].row.session_id = 5;
  CHECK(time_ratio(first, second, 1.0, {}).method == RatioMethod::kPaired);
}

TEST_CASE("a session of three trials counts with their mean", "[analysis]") {
  CellObservation first =
      each_in_its_session(observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.5, 1.3, 1.4, 1.5, 1.6}));
  CellObservation second =
      each_in_its_session(observe_cell(make_cell(2, 2, 8), std::vector<double>(7, 0.5)));
  for (CellObservation* cell : {&first, &second}) {
    cell->trials[1].row.session_id = cell->trials[2].row.session_id = 1;
  }
  // Means of sessions 1.2 (the median of its trials is 1.1), 1.3, 1.4, 1.5, 1.6, and five of 0.5.
  CHECK(*time_ratio(first, second, 1.0, {}).interval.ratio == Approx(7.0 / 2.5));
}

TEST_CASE("trials of a session that only one cell has are not behind means of sessions",
          "[analysis]") {
  const CellObservation first = each_in_its_session(base());
  const CellObservation second = in_session(each_in_its_session(cell()), 9, 5);
  const TimeRatio ratio = time_ratio(first, second, 1.0, batch_study());

  CHECK(ratio.method == RatioMethod::kSessions);
  CHECK(ratio.trials == TrialIds{2000, 2001, 2002, 2003, 2004});
  CHECK(ratio.base_trials == TrialIds{1000, 1001, 1002, 1003, 1004});
}

TEST_CASE("the equivalence test stands on the interval's numbers", "[analysis]") {
  const TimeRatio ratio = time_ratio(base(), cell(), 0.6, {});

  REQUIRE(ratio.equivalence_p.has_value());
  CHECK((*ratio.equivalence_p < 0.05) ==
        (*ratio.interval.lo > 1.0 / 1.02 && *ratio.interval.hi < 1.02));
}

TEST_CASE("accuracies of seeds that several sessions ran count once a seed", "[analysis]") {
  const std::vector<double> one{0.80, 0.82, 0.79, 0.81, 0.83, 0.78, 0.80, 0.82};
  const std::vector<double> two{0.81, 0.80, 0.80, 0.79, 0.84, 0.77, 0.82, 0.81};
  const MetricRequest accuracy{.metric = "accuracy", .is_higher_better = true};
  const auto ratio_of = [&](std::int64_t sessions, const Study& study) {
    return time_ratio(learn_cell(make_cell(1, 1, 8), sessions, one),
                      learn_cell(make_cell(2, 2, 8), sessions, two),
                      1.0,
                      study,
                      &accuracy);
  };
  const TimeRatio alone = ratio_of(1, {});
  REQUIRE(alone.interval.lo.has_value());
  for (const std::int64_t sessions : {2, 5}) {
    const TimeRatio merged = ratio_of(sessions, {});

    CHECK(merged.method == RatioMethod::kPaired);
    CHECK(merged.interval.n_a == 8);
    CHECK(merged.interval.status == stats::Status::kOk);
    CHECK(merged.interval.lo == alone.interval.lo);
    CHECK(merged.interval.hi == alone.interval.hi);
    CHECK(merged.trials.size() == 8);
    CHECK(merged.left_out == 0);
    CHECK(merged.sessions == 1);
  }
  // A program's own parameter of that name says nothing about its seeds.
  Study own;
  own.workload = Workload::kCommand;
  CHECK(ratio_of(5, own).method == RatioMethod::kSessions);
}

TEST_CASE("a seed that one session ran on one cell and another on the other makes a pair",
          "[analysis]") {
  const std::vector<double> values{0.80, 0.82, 0.79, 0.81, 0.83, 0.78};
  const MetricRequest accuracy{.metric = "accuracy", .is_higher_better = true};
  const TimeRatio ratio = time_ratio(learn_cell(make_cell(1, 1, 8), 1, values),
                                     in_session(learn_cell(make_cell(2, 2, 8), 1, values), 2, 3),
                                     1.0,
                                     {},
                                     &accuracy);

  CHECK(ratio.interval.n_a == 6);
}

TEST_CASE("a bandwidth is compared by the mean times that it follows from", "[analysis]") {
  // Half of the cell's steps take twice as long: the mean of their rates is 9/8 of the bytes over
  // their mean time.
  const auto with_bandwidth = [](CellObservation cell, double bytes, double of_rates) {
    cell.total_bytes = bytes;
    cell.busbw_factor = 1.5;
    for (TrialObservation& trial : cell.trials) {
      const double rate = 1.5 * bytes / trial.metrics.at("step_time_s").mean;
      trial.metrics["busbw_bytes_per_s"] = {.steps = 100, .mean = of_rates * rate, .p50 = rate};
    }
    return cell;
  };
  const CellObservation first = with_bandwidth(base(), 1000.0, 1.0);
  const CellObservation second = with_bandwidth(cell(), 3000.0, 1.125);
  const MetricRequest mean{.metric = "busbw_bytes_per_s", .is_higher_better = true};
  const MetricRequest median{
      .metric = "busbw_bytes_per_s", .is_higher_better = true, .by = TrialStatistic::kP50};
  const double rates_over = 3.0 * time_ratio(first, second, 1.0, {}).interval.ratio.value();

  CHECK(*time_ratio(first, second, 1.0, {}, &mean).interval.ratio == Approx(rates_over));
  // Of the rates of trials: 3000 B / (0.5 to 1.0 s) over 1000 B / (1.0 to 1.5 s).
  CHECK(*time_ratio(first, second, 1.0, {}, &median).interval.ratio ==
        Approx(3.0 * 8.456349 / 4.892608));
}
