// How targets are worded. The numbers in their sentences are asserted where they come about, in the
// tests of the files that compute them.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/target_finding.h"
#include "harness/analysis/compare/targets.h"
#include "stats/estimate.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::EndsWith;
using Catch::StartsWith;
using test::make_cell;
using test::observe_cell;

namespace {

CellObservation untimed(std::int64_t devices) {
  return observe_cell(make_cell(devices, devices, 8), {});
}

struct Wish {
  std::string metric = "speedup";
  std::int64_t devices = 2;
  bool at_least = true;
  double level = 1.5;
};

// What is said of the target over two devices, whose cell has this interval, or is lost.
std::string said_of_target(const Wish& wish,
                           const stats::Estimate& measured,
                           CellObservation two,
                           std::optional<Verdict> lost = std::nullopt) {
  Study study;
  study.analysis.targets = {{.name = "wish",
                             .metric = wish.metric,
                             .where = {{"devices", wish.devices}},
                             .at_least = std::nullopt,
                             .at_most = std::nullopt}};
  Target& target = study.analysis.targets.front();
  (wish.at_least ? target.at_least : target.at_most) = wish.level;
  Results results;
  if (measured.value || lost) {
    ComparisonRow row;
    row.verdict = lost.value_or(row.verdict);
    row.cell_id = 2;
    row.quantity = wish.metric;
    row.value = measured.value;
    row.lo = measured.lo;
    row.hi = measured.hi;
    results.comparisons.push_back(row);
  }
  return judge_targets(
             test::make_observation({untimed(1), std::move(two)}, Scaling::kStrong), study, results)
      .at(0)
      .finding;
}

}  // namespace

TEST_CASE("how a target is told, and why it is undecided", "[analysis]") {
  const stats::Estimate measured = {.value = 1.6, .lo = 1.5, .hi = 1.7};
  CellObservation oversubscribed = untimed(2);
  oversubscribed.row.oversubscribed = true;
  CellObservation without_base = untimed(2);
  without_base.row.baseline.reset();
  without_base.row.baseline_problem = "no cell with devices=1 and batch_global=8";
  CellObservation failed = untimed(2);
  failed.failures["oom"] = 1;

  CHECK(said_of_target({}, measured, untimed(2)) ==
        "wish: met for 2 devices, batch 8: speedup 1.60x [1.50, 1.70], wanted at least 1.5x");
  CHECK(said_of_target({"communication_overhead", 2, false, 0.2},
                       {.value = 0.12, .lo = 0.10, .hi = 0.14},
                       untimed(2)) ==
        "wish: met for 2 devices, batch 8: communication overhead 12.0 % [10.0, 14.0], wanted at "
        "most 20 %");
  CHECK_THAT(said_of_target({.level = 1.6}, measured, untimed(2)),
             EndsWith("(the interval contains the level)"));
  CHECK_THAT(said_of_target({}, {.value = 1.6, .lo = {}, .hi = {}}, untimed(2)),
             EndsWith("(not enough data)"));
  CHECK_THAT(said_of_target({}, measured, oversubscribed),
             EndsWith("(no performance claim (oversubscribed))"));
  CHECK_THAT(said_of_target({}, {}, without_base),
             EndsWith("(no cell with devices=1 and batch_global=8)"));
  CHECK_THAT(said_of_target({}, measured, failed),
             EndsWith("(the only attempt of 2 devices, batch 8 ran out of memory)"));
  CHECK(said_of_target({.devices = 4}, measured, untimed(2)) ==
        "wish: undecided: no cell with a speedup matches 4 devices, wanted at least 1.5x");
  CHECK(said_of_target({.metric = "efficiency", .devices = 4}, measured, untimed(2)) ==
        "wish: undecided: no cell with an efficiency matches 4 devices, wanted at least 150 %");
}

TEST_CASE("that all trials of a target's cell failed is told once", "[analysis]") {
  CellObservation failed = untimed(2);
  failed.failures["failed"] = 3;
  const auto said = [&](Verdict lost) { return said_of_target({}, {}, failed, lost); };
  const std::string start =
      "wish: undecided for 2 devices, batch 8: speedup not measured, wanted at least 1.5x";
  const std::string attempts = " (all 3 attempts of 2 devices, batch 8 failed)";

  CHECK(said(Verdict::kFailed) == start + attempts);
  CHECK(said(Verdict::kBaseFailed) == start + " (base failed)" + attempts);
  CHECK(said_of_target({}, {}, untimed(2), Verdict::kFailed) == start + " (failed)");

  // Of a target that compares with nothing, it follows from the trials, if none is left to run.
  const Wish quick = {.metric = "step_time_s", .at_least = false, .level = 0.005};
  const std::string time =
      "wish: undecided for 2 devices, batch 8: step time not measured, wanted at most 5 ms";
  failed.lost = failed.planned = 3;
  CHECK(said_of_target(quick, {}, failed) == time + attempts);
  failed.planned = 4;
  CHECK(said_of_target(quick, {}, failed) == time + " (no trial measured it)" + attempts);
}

// As in the tables of a report, whose column has the unit of its largest value.
TEST_CASE("a target in seconds is told in the unit of the metric's other values", "[analysis]") {
  CellObservation cell;
  cell.row.devices = 2;
  TargetResultRow row;
  row.name = "quick";
  row.metric = "step_time_s";
  row.bound = Bound::kAtMost;
  row.level = 0.0005;
  row.value = 0.000425;
  row.lo = 0.000415;
  row.hi = 0.000435;
  row.verdict = TargetVerdict::kMet;
  const auto said = [&](double largest_s) {
    return describe_target({.cell = &cell, .row = row, .unit = {"s", largest_s}});
  };
  CHECK_THAT(said(0.02), EndsWith("0.425 ms [0.415, 0.435], wanted at most 0.5 ms"));
  CHECK_THAT(said(0.0005), EndsWith("425 µs [415, 435], wanted at most 500 µs"));
  row.metric = "peak_bytes";
  row.level = 40e9;
  row.value = 36.0 * 1024 * 1024 * 1024;
  row.lo = row.hi = std::nullopt;
  CHECK_THAT(describe_target({.cell = &cell, .row = row, .unit = {"bytes", row.value}}),
             EndsWith("36 GiB, wanted at most 40 GB (37.25 GiB)"));
}

TEST_CASE("how a target over several cells is told", "[analysis]") {
  const auto said = [](const std::vector<double>& speedups) {
    std::vector<CellObservation> cells = {
        observe_cell(make_cell(1, 1, 8), {1.00, 1.05, 0.95, 1.02, 0.98, 1.0})};
    for (std::size_t i = 0; i < speedups.size(); ++i) {
      CellRow row = make_cell(static_cast<std::int64_t>(i) + 2, 2, 8);
      row.hash += "-" + std::to_string(i);
      std::vector<double> times_s = {0.97, 1.03, 1.04, 0.96, 1.02, 0.98};
      std::ranges::transform(
          times_s, times_s.begin(), [&](double time_s) { return time_s / speedups[i]; });
      cells.push_back(observe_cell(row, times_s));
    }
    Study study;
    study.workload = Workload::kTrain;
    study.analysis.targets = {{.name = "wish",
                               .metric = "speedup",
                               .where = {},
                               .at_least = 1.5,
                               .at_most = std::nullopt}};
    const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
    Results results;
    results.comparisons = compare_cells(observation, study);
    return judge_targets(observation, study, results);
  };

  CHECK(said({1.7, 1.8, 1.62}).at(0).finding ==
        "wish: met: speedup, wanted at least 1.5x, in each of 3 cells");
  CHECK_THAT(
      said({1.8, 1.2, 1.5}).at(0).finding,
      StartsWith("wish: missed: speedup, wanted at least 1.5x; 1 of 3 cells misses it, for example "
                 "2 devices, batch 8: 1.200x ") &&
          EndsWith("]; 1 meets it; 1 is undecided"));
  CHECK_THAT(
      said({1.6, 1.5, 1.5, 1.5, 1.5}).at(1).finding,
      Catch::Contains("(met by its interval alone, not after adjustment for 5 comparisons)"));
}
