// Others on the machine, graded by what they did to the results.
#include <algorithm>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/compared_cells.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using Catch::Contains;
using test::make_cell;
using test::numbers_in;
using test::observe_cell;

namespace {

constexpr std::size_t kBlocks = 20;

// The cell with all loads known: none.
CellObservation alone(CellObservation cell) {
  for (TrialObservation& trial : cell.trials) {
    trial.row.foreign_load = 0.0;
  }
  return cell;
}

// 1 device at 1 s +- 2 %, and 2 devices at 0.5 s +- 2 % in other blocks: speedups of 1.92, 2 and
// 2.08.
std::vector<CellObservation> two_cells() {
  std::vector<double> one;
  std::vector<double> two;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    one.push_back(block % 2 == 0 ? 0.98 : 1.02);
    two.push_back(0.5 * (block % 4 < 2 ? 0.98 : 1.02));
  }
  return {alone(observe_cell(make_cell(1, 1, 8), one)),
          alone(observe_cell(make_cell(2, 2, 8), two))};
}

std::vector<ThreatRow> threats_of(StudyObservation observation) {
  observation.cores = observation.cores.value_or(4.0);
  const Study study = test::make_study();
  Results results;
  results.estimates = estimate_cells(observation, study);
  results.comparisons = compare_cells(observation, study);
  return load_threats(observation, study, results);
}

ThreatRow only_threat(std::vector<CellObservation> cells) {
  const auto rows = threats_of(test::make_observation(std::move(cells), Scaling::kStrong));
  REQUIRE(rows.size() == 1);
  return rows[0];
}

void load(CellObservation& cell, const std::vector<std::size_t>& blocks) {
  for (const std::size_t block : blocks) {
    cell.trials.at(block).row.foreign_load = 0.5;
  }
}

}  // namespace

TEST_CASE("foreign load is judged against the cores of the machine", "[load]") {
  CellObservation cell = alone(observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.1, 1.0}));
  cell.trials[1].row.foreign_load = 0.11;
  cell.trials[3].row.foreign_load = 0.50;
  const ThreatRow row = only_threat({cell});

  // 3 % of 4 cores are 0.12. Means: 1.08 with the loaded trial, 1.075 without, 0.463 % less.
  CHECK(row.kind == ThreatKind::kForeignLoad);
  CHECK(numbers_in(row.finding) == test::Numbers{1, 5, 3, 4, 0.5, 12.5, 0.463});
}

TEST_CASE("stolen time is a threat of its own", "[load]") {
  StudyObservation observation = test::make_observation(
      {observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.1, 1.0})}, Scaling::kStrong);
  observation.cores = 2.0;
  observation.steal = {{1000, 0.0}, {1001, 0.0}, {1002, 0.2}, {1003, 0.0}, {1004, 0.0}};
  const auto rows = threats_of(observation);

  // Means: 1.08 with the trial of 1.2 s, 1.05 without: 2.78 % less, more than half of the margin.
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kSteal);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(numbers_in(rows[0].finding) == test::Numbers{1, 5, 3, 2, 0.2, 10.0, 1, 8, 2.78});
}

TEST_CASE("load that changes no result is a note, whatever share of trials met it", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  // Four of each cell, whose ratios average as the others do.
  load(cells[0], {0, 1, 2, 3});
  load(cells[1], {0, 1, 2, 3});
  const ThreatRow row = only_threat(cells);

  CHECK(row.severity == Severity::kNote);
  CHECK_THAT(row.finding, Contains("8 of 40 trials") && Contains("no result would change by more"));
}

TEST_CASE("load does nothing to a cell that has no trial", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  load(cells[0], {0, 1, 2, 3});
  load(cells[1], {0, 1, 2, 3});
  cells.push_back(observe_cell(make_cell(3, 4, 8), {}));
  const ThreatRow row = only_threat(cells);

  CHECK(row.severity == Severity::kNote);
  CHECK_THAT(row.finding, Contains("no result would change by more"));
}

TEST_CASE("load that shifts a speedup is a warning that names it", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  load(cells[0], {0, 1, 2, 3});
  load(cells[1], {0, 1, 2, 3});
  for (const std::size_t block : {0, 1, 2, 3}) {
    cells[1].trials[block].metrics[kStepTime].mean *= 1.25;
  }
  const ThreatRow row = only_threat(cells);

  // Mean time of 2 devices: 0.5 (16 + 4 * 1.25) / 20 = 0.525 with, 0.5 without: 5 % faster without.
  CHECK(row.severity == Severity::kWarning);
  CHECK_THAT(row.finding, Contains("the result of 2 devices, batch 8 would change by 5.00 %"));
}

TEST_CASE("load on one cell alone is a warning, though it shifts nothing", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  load(cells[1], {0, 1, 2, 3, 4, 5, 6, 7});

  const ThreatRow row = only_threat(cells);
  CHECK(row.severity == Severity::kWarning);
  CHECK_THAT(row.finding, Contains("met some cells more often than chance explains (p "));
}

TEST_CASE("load that met all trials, or may have met more, is a warning", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  for (CellObservation& cell : cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.row.foreign_load = 0.5;
    }
  }
  CHECK(only_threat(cells).severity == Severity::kWarning);
  CHECK_THAT(only_threat(cells).finding,
             Contains("Too few undisturbed trials are left") && Contains("2 devices, batch 8"));

  cells = two_cells();
  load(cells[0], {0, 1, 2, 3});
  load(cells[1], {0, 1, 2, 3});
  cells[1].trials.back().row.foreign_load.reset();
  CHECK(only_threat(cells).severity == Severity::kWarning);
  CHECK_THAT(only_threat(cells).finding, Contains("during other trials is unknown"));
}

TEST_CASE("load on one trial in twenty is a note, whatever it did", "[load]") {
  std::vector<CellObservation> cells = {two_cells()[0]};
  cells[0].trials[0].metrics[kStepTime].mean = 3.0;
  load(cells[0], {0});
  CHECK(only_threat(cells).severity == Severity::kNote);
  load(cells[0], {1});
  CHECK(only_threat(cells).severity == Severity::kWarning);
}
