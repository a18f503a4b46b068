// Break-evens along an axis.
#include "harness/analysis/thresholds/thresholds.h"

#include <cmath>
#include <set>

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

// Five trials with the mean `centre`.
std::vector<double> around(double centre, double spread) {
  return {centre,
          centre * (1.0 + spread),
          centre * (1.0 - spread),
          centre * (1.0 + 2.0 * spread),
          centre * (1.0 - 2.0 * spread)};
}

// Cells of 1 and `devices` devices per batch, with that speedup; the baseline does not scatter.
struct SpeedupPoint {
  double batch = 0.0;
  double speedup = 0.0;
};

std::vector<CellObservation> make_cells(const std::vector<SpeedupPoint>& curve, double spread) {
  std::vector<CellObservation> cells;
  std::int64_t id = 1;
  for (const SpeedupPoint& point : curve) {
    const auto batch = static_cast<std::int64_t>(point.batch);
    cells.push_back(observe_cell(make_cell(id++, 1, batch), {1.0, 1.0, 1.0, 1.0, 1.0}));
    cells.push_back(observe_cell(make_cell(id++, 2, batch), around(1.0 / point.speedup, spread)));
  }
  return cells;
}

Study make_study(const std::string& metric, double level, const std::string& along) {
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.thresholds = {{.metric = metric, .level = level, .along = along}};
  return study;
}

std::vector<ThresholdRow> find(std::vector<CellObservation> cells, const Study& study) {
  return find_thresholds(test::make_observation(std::move(cells), Scaling::kStrong), study);
}

// Five values, each twice the one before: speedup sqrt(batch / centre), straight in the logarithms.
std::vector<SpeedupPoint> ladder(double first, double centre) {
  std::vector<SpeedupPoint> curve;
  for (int i = 0; i < 5; ++i) {
    const double batch = std::ldexp(first, i);
    curve.push_back({batch, std::sqrt(batch / centre)});
  }
  return curve;
}

const Study kBreakEven = make_study("speedup", 1.0, "batch_global");

}  // namespace

TEST_CASE("a break-even names the trials of tested values and of their baselines", "[analysis]") {
  auto cells = make_cells(ladder(16, 80), 0.001);
  cells.pop_back();                    // the last batch is not tested,
  cells[3].row.oversubscribed = true;  // nor is the second
  const auto rows = find(cells, kBreakEven);

  REQUIRE(rows.size() == 1);
  std::set<std::int64_t> named;
  for (const std::int64_t id : rows[0].trials) {
    named.insert(id / 1000);  // the cell
  }
  CHECK(rows[0].tested_values == 3);
  CHECK(rows[0].trials.size() == 30);
  CHECK(named == std::set<std::int64_t>{1, 2, 5, 6, 7, 8});
  // Its curve is that of 2 devices, tested or not.
  CHECK(rows[0].cells == CellIds{2, 4, 6, 8});
}

TEST_CASE("a break-even is bracketed and interpolated in the logarithm of the axis", "[analysis]") {
  const auto rows = find(make_cells(ladder(16, 80), 0.001), kBreakEven);

  REQUIRE(rows.size() == 1);
  const ThresholdRow& row = rows.front();
  CHECK(row.status == RowStatus::kCrossed);
  CHECK(row.group_label == "devices=2");
  CHECK(row.bracket_lo == 64.0);
  CHECK(row.bracket_hi == 128.0);
  CHECK(*row.estimate == Approx(80.0).epsilon(1e-9));
  REQUIRE(row.lo.has_value());
  REQUIRE(row.hi.has_value());
  CHECK(*row.lo < 80.0);
  CHECK(*row.hi > 80.0);
  CHECK(row.tested_values == 5);
  CHECK_FALSE(row.censored_lo);
  Study study = kBreakEven;
  study.analysis.confidence = 0.9;
  CHECK(find(make_cells(ladder(16, 80), 0.001), study).at(0).confidence == 0.9);
}

TEST_CASE("few or distant tested values give the bracket alone", "[analysis]") {
  std::vector<SpeedupPoint> four = ladder(16, 80);
  four.erase(four.begin());
  std::vector<SpeedupPoint> gap = ladder(16, 80);
  gap[0].batch = 15.0;
  for (const std::vector<SpeedupPoint>& curve : {four, gap, {{32, 0.6}, {256, 1.3}}}) {
    const ThresholdRow row = find(make_cells(curve, 0.001), kBreakEven).at(0);
    CHECK(row.status == RowStatus::kCrossed);
    CHECK(row.bracket_lo.has_value());
    CHECK(row.bracket_hi.has_value());
    CHECK_FALSE(row.estimate.has_value());
    CHECK_FALSE(row.lo.has_value());
    CHECK_FALSE(row.hi.has_value());
  }
}

TEST_CASE("a crossing in the last step gives the bracket alone", "[analysis]") {
  const ThresholdRow row = find(make_cells(ladder(16, 160), 0.001), kBreakEven).at(0);

  CHECK(row.status == RowStatus::kCrossed);
  CHECK(row.bracket_lo == 128.0);
  CHECK(row.bracket_hi == 256.0);
  CHECK_FALSE(row.estimate.has_value());
}

TEST_CASE("of a curve that crosses twice nothing is interpolated in its first step", "[analysis]") {
  const auto row_of = [](const std::vector<double>& speedups) {
    std::vector<SpeedupPoint> curve;
    for (const double speedup : speedups) {
      curve.push_back({std::ldexp(8.0, static_cast<int>(curve.size())), speedup});
    }
    return find(make_cells(curve, 0.001), kBreakEven).at(0);
  };
  const ThresholdRow first = row_of({0.8, 1.2, 1.3, 1.2, 0.8, 0.7});
  CHECK(first.status == RowStatus::kMultiple);
  CHECK(first.pieces.empty());
  CHECK_FALSE(first.lo.has_value());
  CHECK_THAT(first.finding,
             Catch::Contains("crossed more than once along global batch: between 8 and 16, and "
                             "between 64 and 128 (at 95 % above at: 16, 32, 64; below at: 8, 128, "
                             "256; not certain at: none)"));

  const ThresholdRow inside = row_of({0.7, 0.8, 1.2, 1.2, 0.8, 0.7});
  CHECK(inside.status == RowStatus::kMultiple);
  CHECK(inside.pieces.size() == 4);
  CHECK_THAT(inside.finding, Catch::Contains(", and ") && !Catch::Contains(", or "));
}

TEST_CASE("a level above 1 moves the crossing", "[analysis]") {
  const auto rows = find(make_cells(ladder(16, 32), 0.001),
                         make_study("speedup", std::pow(2.0, 0.75), "batch_global"));

  // ln speedup = ln(batch / 32) / 2, so speedup 2^(3/4) is at 32 x 2^(3/2).
  CHECK(*rows.at(0).estimate == Approx(32.0 * std::pow(2.0, 1.5)).epsilon(1e-9));
}

TEST_CASE("efficiency has its own level", "[analysis]") {
  // Efficiency is half the speedup: from 2^-0.5 to 1, so 2^-0.25 lies half way in logarithms.
  const auto rows = find(make_cells(ladder(16, 32), 0.001),
                         make_study("efficiency", std::pow(2.0, -0.25), "batch_global"));

  CHECK(rows.at(0).status == RowStatus::kCrossed);
  CHECK(*rows.at(0).estimate == Approx(64.0 * std::sqrt(2.0)).epsilon(1e-9));
}

TEST_CASE("a break-even below the smallest tested value is not extrapolated", "[analysis]") {
  const auto rows = find(make_cells({{32, 1.2}, {64, 1.4}}, 0.001), kBreakEven);

  CHECK(rows.at(0).status == RowStatus::kAlways);
  CHECK_FALSE(rows.at(0).estimate.has_value());
  CHECK_FALSE(rows.at(0).bracket_lo.has_value());
  CHECK(rows.at(0).bracket_hi == 32.0);
}

TEST_CASE("a break-even that is not reached says up to where", "[analysis]") {
  const auto rows = find(make_cells({{32, 0.7}, {64, 0.8}}, 0.001), kBreakEven);

  CHECK(rows.at(0).status == RowStatus::kNotReached);
  CHECK(rows.at(0).bracket_lo == 64.0);
}

TEST_CASE("noise leaves a break-even unresolved", "[analysis]") {
  std::vector<SpeedupPoint> flat = ladder(16, 64);
  for (SpeedupPoint& point : flat) {
    point.speedup = point.batch < 64 ? 0.99 : 1.01;
  }
  const auto rows = find(make_cells(flat, 0.1), kBreakEven);

  CHECK(rows.at(0).status == RowStatus::kUnresolved);
  CHECK(rows.at(0).censored_lo);
  CHECK(rows.at(0).censored_hi);

  const auto two = find(make_cells({{32, 0.99}, {64, 1.01}}, 0.1), kBreakEven);
  CHECK(two.at(0).status == RowStatus::kUnresolved);
  CHECK_FALSE(two.at(0).lo.has_value());
}

// Cells of 32 and 64 samples with that ln speedup, known to a standard error of 0.010: times go up
// and down by 0.010 sqrt(n - 1) in turn.
std::vector<CellObservation> make_two(double small,
                                      std::size_t n_small,
                                      double large,
                                      std::size_t n_large) {
  std::vector<CellObservation> cells;
  std::int64_t id = 1;
  for (const auto& [batch, log_speedup, n] :
       {std::tuple(32, small, n_small), std::tuple(64, large, n_large)}) {
    const double swing = 0.010 * std::sqrt(static_cast<double>(n) - 1.0);
    std::vector<double> times_s;
    for (std::size_t block = 0; block < n; ++block) {
      times_s.push_back((1.0 + (block % 2 == 0 ? swing : -swing)) / std::exp(log_speedup));
    }
    cells.push_back(observe_cell(make_cell(id++, 1, batch), std::vector<double>(n, 1.0)));
    cells.push_back(observe_cell(make_cell(id++, 2, batch), times_s));
  }
  return cells;
}

// The first look, after 8 of 40 blocks, may spend 0.05 ln(1 + (e - 1) 8/40) = 0.01477: t is 3.214
// on 7 degrees of freedom and 2.552 on 39, at 95 % 2.365 and 2.023.
TEST_CASE("a run for verdicts resolves tested values as its verdicts at their looks",
          "[analysis]") {
  Study study = kBreakEven;
  study.trials = {.count = 40, .min = 8, .until = std::nullopt, .is_for_verdicts = true};
  const ThresholdRow first = find(make_two(-0.10, 8, 0.028, 8), study).at(0);
  CHECK(first.status == RowStatus::kUnresolved);
  CHECK(first.bracket_lo == 32.0);
  CHECK_FALSE(first.bracket_hi.has_value());
  CHECK_THAT(first.finding, Catch::Matchers::Contains("below at: 32; not certain at: 64"));
  // Of cells that ended at several looks each is judged at its own.
  const auto cells = make_two(-0.10, 8, 0.025, 40);
  CHECK(find(cells, study).at(0).status == RowStatus::kCrossed);
  const auto verdicts = compare_cells(test::make_observation(cells, Scaling::kStrong), study);
  CHECK(verdicts.at(1).verdict != Verdict::kNoDetectableDifference);
  study.trials.is_for_verdicts = false;
  CHECK(find(make_two(-0.10, 8, 0.028, 8), study).at(0).status == RowStatus::kCrossed);
}

TEST_CASE("a speedup that falls along the axis is no break-even", "[analysis]") {
  const auto rows = find(make_cells({{32, 1.5}, {64, 0.8}}, 0.001), kBreakEven);

  CHECK(rows.at(0).status == RowStatus::kCrossedDown);
}

TEST_CASE("one tested value places nothing but is told", "[analysis]") {
  const auto rows = find(make_cells({{32, 1.5}}, 0.001), kBreakEven);

  CHECK(rows.at(0).status == RowStatus::kInsufficientData);
  CHECK_FALSE(rows.at(0).bracket_lo.has_value());
}

TEST_CASE("oversubscribed cells and cells without an interval are left out and counted",
          "[analysis]") {
  auto cells = make_cells({{16, 0.5}, {32, 0.7}, {64, 0.9}, {128, 1.3}}, 0.001);
  cells[1].row.oversubscribed = true;  // batch 16
  cells[3].trials.resize(1);           // batch 32
  const auto rows = find(cells, kBreakEven);

  CHECK(rows.at(0).tested_values == 2);
  CHECK(rows.at(0).bracket_lo == 64.0);
  CHECK(has_numbers(rows.at(0).finding, {2}));  // left out
}

TEST_CASE("later attempts of tested values and of their baselines are told", "[analysis]") {
  auto cells = make_cells({{32, 0.7}, {64, 1.3}}, 0.001);
  cells[0].chosen.trials = 2;  // the baseline of batch 32
  cells[1].chosen.trials = 1;

  CHECK_THAT(find(cells, kBreakEven).at(0).finding,
             Catch::Matchers::EndsWith(" (3 trials count only with a later attempt)"));
}

TEST_CASE("a setting that was not applied has no break-even, and that is said", "[analysis]") {
  auto cells = make_cells({{16, 0.5}, {32, 0.7}, {64, 0.9}, {128, 1.3}}, 0.001);
  const auto ask = [&](std::size_t i, double state) {
    cells[i].row.parameters.push_back({"env.NCCL_ALGO", "Ring", ValueKind::kText, false});
    for (TrialObservation& trial : cells[i].trials) {
      trial.settings["NCCL_ALGO"] = state;
    }
  };
  ask(7, 0.0);
  const ThresholdRow most = find(cells, kBreakEven).at(0);
  CHECK(most.tested_values == 3);
  CHECK(most.status == RowStatus::kNotReached);
  CHECK_THAT(most.finding,
             Catch::Matchers::EndsWith(
                 "(1 cell left out: not shown to have the settings that were asked for)"));
  for (const std::size_t i : {1U, 3U, 5U}) {
    ask(i, -1.0);
  }
  const ThresholdRow none = find(cells, kBreakEven).at(0);
  CHECK(none.status == RowStatus::kNotApplicable);
  CHECK(none.tested_values == 0);
  CHECK_THAT(none.finding,
             Catch::Matchers::Contains("no tested value has a usable speedup (4 cells left"));
}

TEST_CASE("steps of unknown work on several devices have no break-even", "[analysis]") {
  std::vector<CellObservation> cells = {
      observe_cell(make_cell(1, 1, 64), {1.0, 1.0, 1.0, 1.0, 1.0}),
      observe_cell(make_cell(2, 2, 64), around(1.0 / 1.9, 0.001)),
      observe_cell(make_cell(3, 4, 64), around(1.0 / 3.4, 0.001))};
  Study study = make_study("speedup", 1.5, "devices");
  study.workload = Workload::kCommand;
  REQUIRE(find(cells, study).size() == 1);
  CHECK(find(cells, study)[0].tested_values == 2);
  for (CellObservation& cell : cells) {
    cell.row.batch_global.reset();
  }
  CHECK(find(cells, study)[0].tested_values == 0);
}

TEST_CASE("along devices the largest tested count is named and nothing interpolated",
          "[analysis]") {
  std::vector<CellObservation> cells = {
      observe_cell(make_cell(1, 1, 64), {1.0, 1.0, 1.0, 1.0, 1.0}),
      observe_cell(make_cell(2, 2, 64), around(1.0 / 1.9, 0.001)),
      observe_cell(make_cell(3, 4, 64), around(1.0 / 3.4, 0.001)),
      observe_cell(make_cell(4, 8, 64), around(1.0 / 5.0, 0.001))};
  const auto rows = find(cells, make_study("efficiency", 0.8, "devices"));

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].status == RowStatus::kCrossedDown);  // 95 %, 85 %, 62.5 %
  CHECK(rows[0].bracket_lo == 4.0);
  CHECK(rows[0].bracket_hi == 8.0);
  CHECK_FALSE(rows[0].estimate.has_value());
  CHECK_FALSE(rows[0].lo.has_value());
}

TEST_CASE("a single tested count is judged all the same", "[analysis]") {
  const std::vector<CellObservation> cells = {
      observe_cell(make_cell(1, 1, 64), {1.0, 1.0, 1.0, 1.0, 1.0}),
      observe_cell(make_cell(2, 2, 64), around(1.0 / 1.9, 0.001))};

  CHECK(find(cells, make_study("efficiency", 0.8, "devices")).at(0).status == RowStatus::kAlways);
  const ThresholdRow row = find(cells, make_study("efficiency", 0.97, "devices")).at(0);
  CHECK(row.status == RowStatus::kNotReached);
  CHECK(row.bracket_lo == 2.0);
  const ThresholdRow open = find(cells, make_study("efficiency", 0.95, "devices")).at(0);
  CHECK(open.status == RowStatus::kUnresolved);
}

TEST_CASE("a curve of baselines has no threshold of its own", "[analysis]") {
  const auto rows = find(make_cells({{32, 0.7}, {64, 1.5}}, 0.001), kBreakEven);

  CHECK(rows.size() == 1);
}

TEST_CASE("a threshold that no cell can show is a row all the same", "[analysis]") {
  const auto rows = find({observe_cell(make_cell(1, 1, 64), {1.0, 1.1}),
                          observe_cell(make_cell(2, 1, 128), {1.0, 1.1})},
                         kBreakEven);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].status == RowStatus::kInsufficientData);
}

TEST_CASE("cells without a baseline are left out and counted", "[analysis]") {
  auto cells = make_cells({{16, 0.5}, {32, 0.7}, {64, 1.3}}, 0.001);
  cells.erase(cells.begin());  // the baseline of batch 16
  const auto rows = find(cells, kBreakEven);

  CHECK(rows.at(0).tested_values == 2);
  CHECK(numbers_in(rows.at(0).finding).back() == 1);  // left out
}

// Two devices against one at four computation times, model and batch as they come: 0.5x at 5 ms,
// 0.8x at 10 ms, 1.3x at 20 ms, 1.8x at 40 ms, each time known to about 1 %.
std::vector<CellObservation> make_computations() {
  std::vector<CellObservation> cells;
  std::int64_t id = 1;
  for (const auto& [batch, time_s, speedup] : {std::tuple(64, 0.005, 0.5),
                                               std::tuple(32, 0.010, 0.8),
                                               std::tuple(256, 0.020, 1.3),
                                               std::tuple(128, 0.040, 1.8)}) {
    cells.push_back(observe_cell(make_cell(id++, 1, batch), {1.0, 1.0, 1.0, 1.0, 1.0}));
    const CellRow two = make_cell(id++, 2, batch);
    cells.push_back(observe_cell(two, around(1.0 / speedup, 0.01)));
    cells.push_back(
        observe_cell(test::make_control(id++, two, CellRole::kNoop), around(time_s, 0.01)));
  }
  return cells;
}

TEST_CASE("along the time of the computation the bracket holds the intervals of both times",
          "[analysis]") {
  const auto rows = find(make_computations(), make_study("speedup", 1.0, "computation_time_s"));

  REQUIRE(rows.size() == 1);  // one curve, whatever the batch
  CHECK(rows[0].group_label == "devices=2");
  CHECK(rows[0].status == RowStatus::kCrossed);
  CHECK(rows[0].tested_values == 4);
  // Five trials: t(0.975, 4) = 2.776, sd 1.5811 % of the mean: half-width 1.963 %.
  CHECK(*rows[0].bracket_lo == Approx(0.010 * (1.0 - 0.01963)).epsilon(1e-4));
  CHECK(*rows[0].bracket_hi == Approx(0.020 * (1.0 + 0.01963)).epsilon(1e-4));
  CHECK_FALSE(rows[0].estimate.has_value());
  CHECK_FALSE(rows[0].lo.has_value());
  CHECK(rows[0].finding.find("between computation time 9.80 ms and 20.4 ms") != std::string::npos);
  CHECK(rows[0].finding.find("nothing is interpolated") != std::string::npos);
}

TEST_CASE("without the control there is nothing to run along", "[analysis]") {
  std::vector<CellObservation> cells = make_computations();
  std::erase_if(cells, [](const auto& cell) { return cell.row.role == CellRole::kNoop; });
  const auto rows = find(cells, make_study("speedup", 1.0, "computation_time_s"));

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].tested_values == 0);
  CHECK(rows[0].status == RowStatus::kInsufficientData);
}
