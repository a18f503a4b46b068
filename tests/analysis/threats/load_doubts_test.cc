// Which results load puts in doubt, and what the warning says of them.
#include <algorithm>

#include "harness/analysis/compare/choices.h"
#include "tests/analysis/threats/loaded_cells.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

TEST_CASE("where the base alone may be the best, one doubtful result of many is not all",
          "[load]") {
  std::vector<CellObservation> cells = growing_cells();
  for (std::size_t i = 1; i < cells.size(); ++i) {
    for (TrialObservation& trial : cells[i].trials) {
      trial.metrics[kStepTime].mean *= 2.0 * static_cast<double>(i + 1);
    }
  }
  load_all(cells[3]);
  StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  observation.cores = 4.0;
  const Study study = test::make_study();
  Results results;
  results.estimates = estimate_cells(observation, study);
  results.comparisons = compare_cells(observation, study);
  const std::vector<ComparisonRow> choices = compare_with_best(observation, study, results);
  REQUIRE(std::ranges::count_if(choices, [](const ComparisonRow& row) {
            return row.quantity == "fastest" && row.verdict == Verdict::kSlower;
          }) == 6);
  const ThreatRow row = load_threats(observation, study, results, choices).at(0);
  CHECK(row.kind == ThreatKind::kLimitedLoad);
  CHECK_THAT(row.finding, Contains("1 of 6 results is in doubt."));
}

TEST_CASE("a result without an interval is held to the margin", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  cells.push_back(alone(observe_cell(make_cell(3, 4, 8), {0.3})));
  for (CellObservation& cell : cells) {
    load(cell, {0});
    cell.trials[0].metrics[kStepTime].mean *= 1.25;
  }
  load(cells[0], {1, 2, 3});
  load(cells[1], {1, 2, 3});
  // The one trial of the third cell is loaded.
  CHECK_THAT(only_threat(cells).finding, Contains("all trials of 4 devices, batch 8"));

  // Without blocks its one trial is compared with all of the base.
  cells[2].trials[0].row.foreign_load = 0.0;
  Study in_a_row = test::make_study();
  in_a_row.order.design = OrderDesign::kBatch;
  CHECK_THAT(only_threat(cells, in_a_row).finding,
             Contains("the result for 4 devices, batch 8 could change by ") &&
                 Contains(", more than half the margin of 2 %."));
}

TEST_CASE("the p value of crowding is of the cell that is named", "[load]") {
  // All of one cell, which alone gives the least p value there is, and 9 of 20 of another.
  std::vector<CellObservation> cells = growing_cells();
  load_all(cells[3]);
  load(cells[5], {0, 2, 3, 6, 8, 10, 12, 14, 16});
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i != 3 && i != 5) {
      load(cells[i], {2 * i + 1, 19});
    }
  }
  const std::string all = only_threat(cells).finding;
  std::erase_if(cells, [](const CellObservation& cell) { return cell.row.id == 4; });
  const std::string others = only_threat(cells).finding;
  const auto crowding = [](const std::string& text) {
    const std::size_t begin = text.find("Such load met 32 devices");
    REQUIRE(begin != std::string::npos);
    return text.substr(begin, text.find(')', begin) - begin);
  };
  CHECK(crowding(all) == crowding(others));
}

TEST_CASE("load that crowds on more than three cells is said, though they have no quiet trial",
          "[load]") {
  std::vector<CellObservation> cells = growing_cells(12);
  for (const std::size_t i : {1, 2, 3, 4}) {
    load_all(cells[i]);
  }
  const ThreatRow row = only_threat(cells);
  CHECK(row.kind == ThreatKind::kForeignLoad);  // four of eleven results, and nobody knows of more
  CHECK_THAT(row.finding, Contains("Such load met some cells more often than chance explains"));
  CHECK_THAT(row.finding, !Contains("in doubt"));
}

TEST_CASE("half of the results in doubt are all", "[load]") {
  std::vector<CellObservation> cells = growing_cells();
  for (const std::size_t i : {1, 2, 3}) {
    load_all(cells[i]);
  }
  const ThreatRow row = only_threat(cells);
  CHECK(row.kind == ThreatKind::kForeignLoad);
  CHECK_THAT(
      row.finding,
      Contains("all trials of 2 devices, batch 8 and 2 more cells; its effect there is unknown. 3 "
               "of 6 results are in doubt."));
}

TEST_CASE("cells without a trial are no results that load left alone", "[load]") {
  std::vector<CellObservation> cells = growing_cells(3);
  for (CellObservation& cell : cells) {
    load_all(cell);
  }
  for (const std::int64_t id : {4, 5, 6}) {
    cells.push_back(observe_cell(make_cell(id, std::int64_t{1} << (id - 1), 8), {}));
  }
  const ThreatRow row = only_threat(cells);
  CHECK(row.kind == ThreatKind::kForeignLoad);
  CHECK_THAT(row.finding, Contains(" 2 of 2 results are in doubt."));
}

TEST_CASE("trials too few to show an effect of load put their results in doubt", "[load]") {
  std::vector<CellObservation> cells{alone(observe_cell(make_cell(1, 1, 8), {1.0, 1.1})),
                                     alone(observe_cell(make_cell(2, 2, 8), {0.5}))};
  load(cells[0], {0});  // of the base alone
  const ThreatRow row = only_threat(cells);
  CHECK(row.kind == ThreatKind::kForeignLoad);
  CHECK_THAT(row.finding, Contains("too few trials to tell how that changed the results."));
}

TEST_CASE("load on trials of blocks that are not compared leaves the speedup", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  load(cells[0], {0, 1, 2, 3});
  slow(cells[0], {0, 1, 2, 3}, 1.25);
  cells[1].trials.erase(cells[1].trials.begin(), cells[1].trials.begin() + 8);
  CHECK_THAT(only_threat(cells).finding,
             Contains("no speedup would change") && !Contains("would change by"));
}

TEST_CASE("trials that were faster with load are no effect of it", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  for (CellObservation& cell : cells) {
    load(cell, {0, 1, 2, 3});
  }
  slow(cells[0], {0, 1, 2, 3}, 0.9);
  slow(cells[1], {0, 1, 2, 3}, 0.8);
  const ThreatRow row = only_threat(cells);
  CHECK(row.severity == Severity::kNote);
  CHECK_THAT(row.finding, Contains("no result would change."));
}

TEST_CASE("a warning of load names the result that it may have shifted most", "[load]") {
  std::vector<CellObservation> cells = growing_cells();
  for (CellObservation& cell : cells) {
    load(cell, {0, 5, 10, 15});
  }
  slow(cells[2], {0, 5, 10, 15}, 1.5);
  slow(cells[5], {0, 5, 10, 15}, 1.2);
  CHECK_THAT(only_threat(cells).finding,
             Contains("the result for 4 devices, batch 8 could change"));
}

TEST_CASE("load that lengthens step times by less than they may move is a note", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  const auto slow_alike = [&](const std::vector<std::size_t>& blocks, double factor) {
    cells = two_cells();
    for (CellObservation& cell : cells) {
      load(cell, blocks);
      slow(cell, blocks, factor);
    }
    return only_threat(cells).severity;
  };
  CHECK(slow_alike({0}, 1.05) == Severity::kNote);  // certain, but 0.25 % of the mean
  const std::vector<std::size_t> many{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  CHECK(slow_alike(many, 1.006) == Severity::kNote);  // 0.36 % of the mean, but not certain
  CHECK(slow_alike(many, 1.03) == Severity::kWarning);
}

TEST_CASE("load is looked for on cells and on numbers of devices", "[load]") {
  // Of two cells of one number of devices, one met load.
  std::vector<CellObservation> cells = two_cells();
  cells[1].row.devices = 1;
  load(cells[1], {0, 1, 2, 3, 4, 5, 6, 7});
  CHECK_THAT(only_threat(cells).finding, Contains("more often than chance"));

  // Four trials of each cell of 2 devices, one of each cell of 1 device: no cell alone is unusual.
  cells = growing_cells(8);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].row.devices = i < 4 ? 1 : 2;
    load(cells[i], {2 * i});
    if (i >= 4) {
      load(cells[i], {2 * i - 7, 2 * i + 1, 2 * i + 4});
    }
  }
  CHECK_THAT(only_threat(cells).finding, Contains("more often than chance"));
}

TEST_CASE("blocks of merged runs are apart, and trials of order batch have none", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  for (std::size_t i = 0; i < kBlocks; ++i) {
    for (const std::size_t cell : {0, 1}) {
      const std::size_t first = cell == 0 ? 15 : 5;  // trials of the run that met load
      TrialRow& row = cells[cell].trials[i].row;
      row.plan = i < first ? "a" : "b";
      row.block = static_cast<std::int64_t>(i < first ? i : i - first);
      row.foreign_load = i < first ? 0.5 : 0.0;
    }
  }
  CHECK_THAT(only_threat(cells).finding, !Contains("more often than chance"));
  Study study = test::make_study();
  study.order.design = OrderDesign::kBatch;
  CHECK_THAT(only_threat(cells, study).finding, Contains("more often than chance"));
}

TEST_CASE("a speedup may move by a quarter of its interval's half-width", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  for (CellObservation& cell : cells) {
    load(cell, {0, 1, 2, 3});
  }
  slow(cells[1], {0, 1, 2, 3}, 1.04);
  const std::string finding = only_threat(cells).finding;
  CHECK_THAT(finding, Contains("more than a quarter of its interval's half-width ("));
  const Numbers numbers = numbers_in(finding);
  const double shift = numbers.at(numbers.size() - 2);
  CHECK(shift > 0.25 * numbers.back());
  CHECK(shift < 0.5 * numbers.back());
}

TEST_CASE("results of controls are no headline", "[load]") {
  std::vector<CellObservation> cells = growing_cells();
  load_all(cells[3]);
  for (const std::size_t i : {1, 2, 4, 5}) {
    cells[i].row.role = CellRole::kNoop;
  }
  // One of the two that are left.
  CHECK(only_threat(cells).kind == ThreatKind::kForeignLoad);
}

TEST_CASE("the cell that load met most is that of its readable trials", "[load]") {
  std::vector<CellObservation> cells = growing_cells();
  load(cells[3], {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  load(cells[5], {10, 11, 12, 13, 14, 15, 16, 17, 18});
  for (std::size_t i = 0; i < 10; ++i) {
    cells[5].trials[i].row.foreign_load.reset();
  }
  CHECK_THAT(only_threat(cells).finding, Contains("Such load met 32 devices, batch 8 and 1 more"));
}

TEST_CASE("short trials with a reading, and imported ones, get no note", "[load]") {
  std::vector<CellObservation> cells = two_cells();
  for (CellObservation& cell : cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.row.wall_s = 0.1;
    }
  }
  StudyObservation observation = make_observation(cells, Scaling::kStrong);
  CHECK(threats_of(observation).empty());
  observation.cells[1].trials[0].row.foreign_load.reset();
  CHECK(threats_of(observation).size() == 1);
  observation.imported.emplace();
  CHECK(threats_of(observation).empty());
}
