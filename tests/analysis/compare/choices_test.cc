// The fastest and the cheapest of the cells that share a baseline.
#include "harness/analysis/compare/choices.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "tests/analysis/compared_cells.h"

using namespace scalestudy;
using test::find;
using test::make_cell;
using test::make_study;
using test::observe_cell;

namespace {

// Eight trials around a time, with a spread of about 1 %.
std::vector<double> times_around(double time_s) {
  std::vector<double> times_s;
  for (const double part : {0.99, 1.01, 1.0, 0.995, 1.005, 1.01, 0.985, 1.005}) {
    times_s.push_back(time_s * part);
  }
  return times_s;
}

std::vector<double> others_around(double time_s) {
  std::vector<double> times_s = times_around(time_s);
  std::ranges::reverse(times_s);
  return times_s;
}

std::vector<double> still_others_around(double time_s) {
  std::vector<double> times_s = times_around(time_s);
  std::rotate(times_s.begin(), times_s.begin() + 3, times_s.end());
  return times_s;
}

std::vector<ComparisonRow> best_of(std::vector<CellObservation> cells) {
  return compare_with_best(test::make_observation(std::move(cells), Scaling::kStrong),
                           make_study());
}

TEST_CASE("each cell of a baseline is compared with the fastest and the cheapest", "[analysis]") {
  const auto rows = best_of({observe_cell(make_cell(1, 1, 256), times_around(0.100)),
                             observe_cell(make_cell(2, 2, 256), others_around(0.060)),
                             observe_cell(make_cell(3, 4, 256), still_others_around(0.050))});

  REQUIRE(rows.size() == 4);
  const ComparisonRow two = find(rows, "fastest", 2);
  CHECK(two.baseline_cell_id == 3);
  CHECK(*two.value == Approx(0.050 / 0.060));  // 256 samples in 60 ms over 256 in 50 ms
  CHECK(two.verdict == Verdict::kSlower);
  // By device time a sample: 1 x 100 ms, 2 x 60 ms, 4 x 50 ms for 256 samples.
  const ComparisonRow four = find(rows, "cheapest", 3);
  CHECK(four.baseline_cell_id == 1);
  CHECK(*four.value == Approx(0.100 / 0.200));
  CHECK(four.verdict == Verdict::kWorse);
  CHECK(four.finding.find("0.5") != std::string::npos);
  CHECK(four.finding.find("the samples for the same cost as 1 device") != std::string::npos);
}

TEST_CASE("verdicts and comparisons with the true best are allowed for together", "[analysis]") {
  std::vector<CellObservation> cells = {
      observe_cell(make_cell(1, 1, 256), times_around(0.100)),
      observe_cell(make_cell(2, 2, 256), others_around(0.0503)),
      observe_cell(make_cell(3, 4, 256), still_others_around(0.050))};
  const auto rows = best_of(cells);

  const ComparisonRow near = find(rows, "fastest", 2);
  CHECK(*near.p_adjusted == Approx(std::min(1.0, 3.0 * *near.p_value)));  // 2 x 3 - 3
  CHECK(*near.equivalence_p_adjusted == Approx(std::min(1.0, 3.0 * *near.equivalence_p)));
}

// Of 8 cells 7 verdicts and 7 comparisons with the true best, one of which is a verdict: 13.
TEST_CASE("verdicts and the choice of the best are one family", "[analysis]") {
  std::vector<CellObservation> cells;
  for (std::int64_t i = 0; i < 8; ++i) {
    std::vector<double> times_s = times_around(0.1 - 0.001 * static_cast<double>(i));
    std::rotate(times_s.begin(), times_s.begin() + i, times_s.end());
    cells.push_back(observe_cell(make_cell(i + 1, i + 1, 840), times_s));
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  const auto best = compare_with_best(observation, make_study());
  const ComparisonRow with_best = find(best, "fastest", 1);
  const ComparisonRow verdict = find(compare_cells(observation, make_study()), "speedup", 8);

  CHECK(with_best.baseline_cell_id == 8);
  CHECK(*with_best.family_size == 13);
  CHECK(*verdict.family_size == 13);
  CHECK(*verdict.rejected == 0);
  CHECK(*verdict.alpha_star == Approx(0.05 / 13.0));
  CHECK(*verdict.p_value ==
        Approx(*with_best.p_value));  // the same comparison, the other way round
  CHECK(*verdict.p_adjusted == Approx(*with_best.p_adjusted));
}

// The cell under a failure: its baseline stays the one device without it.
CellObservation under_failure(CellObservation cell, const std::string& failure) {
  cell.row.parameters.push_back({"failure", failure, ValueKind::kText, true});
  cell.row.hash += failure == "none" ? "" : failure;
  return cell;
}

TEST_CASE("the best is chosen under each condition by itself", "[analysis]") {
  std::vector<CellObservation> cells = {
      under_failure(observe_cell(make_cell(1, 1, 256), times_around(0.100)), "none"),
      under_failure(observe_cell(make_cell(2, 2, 256), others_around(0.060)), "none"),
      under_failure(observe_cell(make_cell(3, 1, 256), still_others_around(0.200)), "kill"),
      under_failure(observe_cell(make_cell(4, 2, 256), times_around(0.250)), "kill")};
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  const auto rows = compare_with_best(observation, make_study());

  // Without the failure the verdict says it. With it, both are compared with a baseline that has
  // none, so that they are compared with each other as well.
  const auto is_fastest = [](const ComparisonRow& row) { return row.quantity == "fastest"; };
  REQUIRE(std::ranges::count_if(rows, is_fastest) == 1);
  const ComparisonRow two = find(rows, "fastest", 4);
  CHECK(two.baseline_cell_id == 3);
  CHECK(two.verdict == Verdict::kSlower);
  CHECK(*two.family_size == 4);  // one verdict without the failure, two with it, and this one

  Study study = make_study();
  study.analysis.decide = {"devices", "failure"};
  const auto of_all = compare_with_best(observation, study);
  CHECK(std::ranges::count_if(of_all, is_fastest) == 3);
  CHECK(*find(of_all, "fastest", 4).family_size == 5);  // 2 x 4 - 3
}

TEST_CASE("a price per node decides which is the cheapest", "[analysis]") {
  Study study = make_study();
  study.cost = Cost{.price = {.per_node_hour = 24.0}};
  std::vector<CellObservation> cells = {observe_cell(make_cell(1, 1, 256), times_around(0.100)),
                                        observe_cell(make_cell(2, 2, 256), others_around(0.060))};
  const auto rows = [&] {
    return compare_with_best(test::make_observation(cells, Scaling::kStrong), study);
  };
  CHECK(rows().empty());  // on one node both cost the same: the fastest is the cheapest

  cells[1].row.nodes = 2;
  REQUIRE(rows().size() == 1);
  // 256 samples: 100 ms of one node, 60 ms of two.
  const ComparisonRow two = find(rows(), "cheapest", 2);
  CHECK(*two.value == Approx(0.100 / 0.120));
  CHECK(two.verdict == Verdict::kWorse);
}

TEST_CASE("another price is asked where it ranks cells otherwise", "[analysis]") {
  Study study = make_study();
  study.cost = Cost{.price = {.per_device_hour = 3.0}};
  study.cost->others = {{.name = "spot", .per_device_hour = 1.0},
                        {.name = "whole node", .per_node_hour = 24.0}};
  const auto rows = compare_with_best(
      test::make_observation({observe_cell(make_cell(1, 1, 256), times_around(0.100)),
                              observe_cell(make_cell(2, 2, 256), others_around(0.060)),
                              observe_cell(make_cell(3, 4, 256), still_others_around(0.050))},
                             Scaling::kStrong),
      study);

  // A node costs the same with one device and with four, so the fastest is the cheapest there.
  CHECK(find(rows, "cheapest", 3).baseline_cell_id == 1);
  CHECK(std::ranges::none_of(
      rows, [](const ComparisonRow& row) { return row.quantity == "cheapest:spot"; }));
  CHECK(std::ranges::none_of(rows, [](const ComparisonRow& row) {
    return row.quantity == "cheapest:whole node";  // `fastest` says it
  }));

  study.cost->others[1].per_device_hour = 1.0;  // 25, 26 and 28 an hour
  const auto both = compare_with_best(
      test::make_observation({observe_cell(make_cell(1, 1, 256), times_around(0.100)),
                              observe_cell(make_cell(2, 2, 256), others_around(0.060)),
                              observe_cell(make_cell(3, 4, 256), still_others_around(0.050))},
                             Scaling::kStrong),
      study);
  const ComparisonRow one = find(both, "cheapest:whole node", 1);
  CHECK(one.baseline_cell_id == 3);
  CHECK(*one.value == Approx(0.050 * 28.0 / (0.100 * 25.0)));
  CHECK(one.verdict == Verdict::kWorse);
  CHECK(one.finding.find("for the same cost at whole node as 4 devices") != std::string::npos);
}

// The fastest by its mean is too noisy to be certainly faster than any; one that the baseline alone
// certainly beats is compared with that, and not with a cell that beats it, too.
TEST_CASE("a cell that the baseline excludes is compared with the baseline", "[analysis]") {
  const std::vector<double> noisy = {0.03, 0.17, 0.05, 0.15, 0.04, 0.16, 0.06, 0.12};
  const auto rows = best_of({observe_cell(make_cell(2, 2, 256), noisy),
                             observe_cell(make_cell(4, 8, 256), still_others_around(0.101)),
                             observe_cell(make_cell(1, 1, 256), times_around(0.100)),
                             observe_cell(make_cell(3, 4, 256), others_around(0.120))});

  const ComparisonRow excluded = find(rows, "fastest", 3);
  CHECK(excluded.baseline_cell_id == 1);
  CHECK(excluded.verdict == Verdict::kSlower);
  CHECK(find(rows, "fastest", 1).baseline_cell_id == 2);
}

// In the eight blocks that both have, the cell of two devices is slower; only its mean is lower.
TEST_CASE("a cell that the baseline beats in their common blocks is not the fastest",
          "[analysis]") {
  std::vector<double> lucky = others_around(0.110);
  const std::vector<double> later = times_around(0.050);
  lucky.insert(lucky.end(), later.begin(), later.end());
  const auto rows = best_of({observe_cell(make_cell(1, 1, 256), times_around(0.100)),
                             observe_cell(make_cell(2, 2, 256), lucky),
                             observe_cell(make_cell(3, 4, 256), still_others_around(0.120))});

  CHECK(find(rows, "fastest", 2).baseline_cell_id == 1);
  CHECK(find(rows, "fastest", 3).baseline_cell_id == 1);
}

TEST_CASE("cells whose base has no result are compared with each other alone", "[analysis]") {
  std::vector<CellObservation> cells = {
      observe_cell(make_cell(1, 1, 256), {}),
      observe_cell(make_cell(2, 2, 256), others_around(0.060)),
      observe_cell(make_cell(3, 4, 256), still_others_around(0.050))};
  const auto rows = best_of(cells);

  REQUIRE(rows.size() == 2);
  const ComparisonRow two = find(rows, "fastest", 2);
  CHECK(two.baseline_cell_id == 3);
  CHECK(*two.value == Approx(0.050 / 0.060));
  CHECK(two.verdict == Verdict::kSlower);
  CHECK(*two.family_size == 1);
  const ComparisonRow four = find(rows, "cheapest", 3);  // 4 x 50 ms against 2 x 60 ms
  CHECK(four.baseline_cell_id == 2);
  CHECK(*four.value == Approx(0.120 / 0.200));
  CHECK(four.verdict == Verdict::kWorse);

  // With the verdict of a batch whose base has a result.
  cells.push_back(observe_cell(make_cell(4, 1, 1024), times_around(0.100)));
  cells.push_back(observe_cell(make_cell(5, 2, 1024), others_around(0.060)));
  const StudyObservation both = test::make_observation(cells, Scaling::kStrong);
  CHECK(*find(compare_cells(both, make_study()), "speedup", 5).family_size == 2);
  CHECK(*find(compare_with_best(both, make_study()), "fastest", 2).family_size == 2);

  cells[3] = observe_cell(make_cell(4, 8, 256), times_around(0.040));
  cells.pop_back();
  CHECK(*find(best_of(cells), "fastest", 2).family_size == 2);  // three cells, and no verdict
}

TEST_CASE("two cells and cells without a claim have no ranking", "[analysis]") {
  std::vector<CellObservation> cells = {observe_cell(make_cell(1, 1, 256), times_around(0.100)),
                                        observe_cell(make_cell(2, 2, 256), others_around(0.060))};
  CHECK(best_of(cells).empty());

  cells.push_back(observe_cell(make_cell(3, 4, 256), still_others_around(0.050)));
  cells.back().row.oversubscribed = true;
  CHECK(best_of(cells).empty());
}

TEST_CASE("a cell with a time that is none is no member of a ranking", "[analysis]") {
  std::vector<CellObservation> cells = {
      observe_cell(make_cell(1, 1, 256), times_around(0.100)),
      observe_cell(make_cell(2, 2, 256), others_around(0.060)),
      observe_cell(make_cell(3, 4, 256), still_others_around(0.050)),
      observe_cell(make_cell(4, 8, 256), others_around(0.040))};
  cells[0].trials[3].metrics[kStepTime].mean = std::numeric_limits<double>::quiet_NaN();
  const auto rows = best_of(cells);

  CHECK(find(rows, "fastest", 3).baseline_cell_id == 4);
  CHECK(find(rows, "fastest", 3).verdict == Verdict::kSlower);
  CHECK(std::ranges::none_of(rows, [](const ComparisonRow& row) {
    return row.cell_id == 1 || row.baseline_cell_id == 1;
  }));
}

}  // namespace
