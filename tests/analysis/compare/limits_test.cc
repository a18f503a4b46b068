// Limits of recommendations (analysis.within): which cells keep them, and what is chosen of those.
#include <algorithm>

#include "harness/analysis/compare/choices.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/targets.h"
#include "harness/analysis/estimates/estimates.h"
#include "tests/analysis/compared_cells.h"

using namespace scalestudy;
using test::find;
using test::make_cell;
using test::observe_cell;

namespace {

// Steps of `time_s` that vary, turned by `turn`, and memory that does not.
CellObservation cell_with(std::int64_t id, double time_s, double bytes) {
  std::vector<double> times_s;
  for (const double part : {0.99, 1.01, 1.0, 0.995, 1.005, 1.01, 0.985, 1.005}) {
    times_s.push_back(time_s * part);
  }
  std::rotate(times_s.begin(), times_s.begin() + id, times_s.end());
  CellObservation cell = observe_cell(make_cell(id, id, 840), times_s);
  for (TrialObservation& trial : cell.trials) {
    trial.metrics["peak_bytes"] = {
        .steps = 1, .mean = bytes, .p50 = bytes, .p95 = bytes, .p99 = bytes, .last = bytes};
  }
  return cell;
}

struct Judged {
  StudyObservation observation;
  Results results;
  std::vector<ComparisonRow> choices;
};

Judged judge(std::vector<CellObservation> cells, const Study& study) {
  Judged judged{test::make_observation(std::move(cells), Scaling::kStrong), {}, {}};
  judged.observation.units["peak_bytes"] = "bytes";
  judged.results.estimates = estimate_cells(judged.observation, study);
  judged.results.comparisons = compare_cells(judged.observation, study);
  judged.results.targets = judge_targets(judged.observation, study, judged.results);
  judged.choices = compare_with_best(judged.observation, study, judged.results);
  return judged;
}

TargetVerdict verdict_of(const Judged& judged, std::int64_t cell) {
  const auto found =
      std::ranges::find(judged.results.targets, std::optional(cell), &TargetResultRow::cell_id);
  REQUIRE(found != judged.results.targets.end());
  CHECK(is_limit(*found));
  return found->verdict;
}

}  // namespace

TEST_CASE("the best is chosen among cells that keep the limits", "[analysis]") {
  Study study = test::make_study();
  study.analysis.within = {{.metric = "peak_bytes", .is_least = false, .level = 40e9}};
  // The fastest of all, cell 4, needs too much.
  const Judged judged = judge({cell_with(1, 0.100, 20e9),
                               cell_with(2, 0.060, 30e9),
                               cell_with(3, 0.050, 39e9),
                               cell_with(4, 0.020, 41e9)},
                              study);

  CHECK(verdict_of(judged, 3) == TargetVerdict::kMet);
  CHECK(verdict_of(judged, 4) == TargetVerdict::kMissed);
  const ComparisonRow two = find(judged.choices, "fastest", 2);
  CHECK(two.baseline_cell_id == 3);
  CHECK(two.verdict == Verdict::kSlower);
  CHECK(*two.family_size == 5);  // 2 x 4 - 3: that of a study without limits
  CHECK(std::ranges::none_of(judged.choices,
                             [](const ComparisonRow& row) { return row.cell_id == 4; }));
}

TEST_CASE("an amount that is the limit in every trial keeps it", "[analysis]") {
  Study study = test::make_study();
  for (const bool is_least : {false, true}) {
    study.analysis.within = {{.metric = "peak_bytes", .is_least = is_least, .level = 30e9}};
    const Judged judged =
        judge({cell_with(1, 0.1, 30e9), cell_with(2, 0.06, 30e9 + (is_least ? -1 : 1))}, study);
    CHECK(verdict_of(judged, 1) == TargetVerdict::kMet);
    CHECK(verdict_of(judged, 2) == TargetVerdict::kMissed);
  }
}

TEST_CASE("two cells that are left are compared, unless their verdict is", "[analysis]") {
  Study study = test::make_study();
  study.analysis.within = {{.metric = "peak_bytes", .is_least = false, .level = 35e9}};
  const auto fastest = [&](std::vector<CellObservation> cells) {
    return std::ranges::count(
        judge(std::move(cells), study).choices, "fastest", &ComparisonRow::quantity);
  };
  CHECK(fastest({cell_with(1, 0.1, 50e9), cell_with(2, 0.06, 30e9), cell_with(3, 0.05, 30e9)}) ==
        1);
  CHECK(fastest({cell_with(1, 0.1, 30e9), cell_with(2, 0.06, 30e9), cell_with(3, 0.05, 50e9)}) ==
        0);
}

TEST_CASE("a baseline does not keep a limit on the ratio to it", "[analysis]") {
  Study study = test::make_study();
  study.analysis.within = {{.metric = "speedup", .is_least = true, .level = 1.5}};
  const Judged judged =
      judge({cell_with(1, 0.10, 1e9), cell_with(2, 0.05, 1e9), cell_with(3, 0.04, 1e9)}, study);

  CHECK(verdict_of(judged, 1) == TargetVerdict::kMissed);
  // By device time one device is the cheapest, but it is left out.
  CHECK(std::ranges::count(judged.choices, "cheapest", &ComparisonRow::quantity) == 1);
  CHECK(std::ranges::none_of(judged.choices, [](const ComparisonRow& row) {
    return row.cell_id == 1 || row.baseline_cell_id == 1;
  }));

  study.analysis.within = {{.metric = "speedup", .is_least = true, .level = 0.5}};
  const Judged easy = judge({cell_with(1, 0.10, 1e9), cell_with(2, 0.05, 1e9)}, study);
  CHECK(std::ranges::none_of(easy.results.targets,
                             [](const TargetResultRow& row) { return row.cell_id == 1; }));
}

TEST_CASE("cells keep a limit on the share that communication takes", "[analysis]") {
  Study study = test::make_study();
  study.analysis.within = {{.metric = "communication_overhead", .is_least = false, .level = 0.4}};
  const CellObservation two = cell_with(2, 0.050, 1e9);
  const CellObservation three = cell_with(3, 0.040, 1e9);
  CellObservation two_alone = cell_with(4, 0.045, 1e9);
  two_alone.row = test::make_control(4, two.row, CellRole::kNoop);
  CellObservation three_alone = cell_with(5, 0.020, 1e9);
  three_alone.row = test::make_control(5, three.row, CellRole::kNoop);
  const Judged judged =
      judge({cell_with(1, 0.100, 1e9), two, three, two_alone, three_alone}, study);

  CHECK(verdict_of(judged, 2) == TargetVerdict::kMet);     // 10 %
  CHECK(verdict_of(judged, 3) == TargetVerdict::kMissed);  // 50 %
}

TEST_CASE("a limit on the time of a training is one on its steps", "[analysis]") {
  Study study = test::make_study();
  study.cost = Cost{.price = {.per_device_hour = 2.0}};
  study.cost->train = Training{.samples = 840.0 * 3600.0 * 1000.0};  // a step of 1 s: 1000 h
  study.analysis.within = {{.metric = "training_hours", .is_least = false, .level = 55.0},
                           {.metric = "throughput", .is_least = true, .level = 840.0 / 0.11}};
  const Judged judged =
      judge({cell_with(1, 0.100, 1e9), cell_with(2, 0.055, 1e9), cell_with(3, 0.050, 1e9)}, study);

  const auto verdict = [&](std::int64_t cell, const char* name) {
    const auto found = std::ranges::find_if(
        judged.results.targets,
        [&](const TargetResultRow& row) { return row.cell_id == cell && row.name == name; });
    REQUIRE(found != judged.results.targets.end());
    return *found;
  };
  CHECK(verdict(1, "within training_hours").verdict == TargetVerdict::kMissed);
  CHECK(verdict(2, "within training_hours").verdict == TargetVerdict::kUndecided);
  CHECK(verdict(3, "within training_hours").verdict == TargetVerdict::kMet);
  CHECK(*verdict(3, "within training_hours").value == Approx(50.0).epsilon(0.01));
  CHECK(verdict(1, "within throughput").verdict == TargetVerdict::kMet);
  CHECK(verdict(1, "within throughput").bound == Bound::kAtLeast);
}
