// A stored study from its trials to its result rows.
#include "harness/analysis/analyse.h"

#include <algorithm>

#include "harness/base/error.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/found_rows.h"
#include "tests/analysis/stored_study.h"
#include "tests/store/sample_publications.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::Attempt;
using test::has_numbers;
using test::make_cell;
using test::step_times;
using test::StoredStudy;

namespace {

Study train_study() {
  Study study;
  study.workload = Workload::kTrain;
  return study;
}

// Ten steps around `mean_s` after two slow ones of warm-up.
SeriesRow steps_around(double mean_s) {
  std::vector<double> values = {10.0 * mean_s, 5.0 * mean_s};
  for (int i = 0; i < 5; ++i) {
    values.push_back(mean_s * 1.01);
    values.push_back(mean_s * 0.99);
  }
  return step_times(values, 2);
}

EstimateRow find(const Results& results, std::int64_t cell_id, const std::string& metric) {
  const auto found = std::ranges::find_if(results.estimates, [&](const EstimateRow& row) {
    return row.cell_id == cell_id && row.metric == metric && row.statistic == Statistic::kMean &&
           row.variant == Variant::kAll;
  });
  INFO("looking for " << metric << " of cell " << cell_id);
  REQUIRE(found != results.estimates.end());
  return *found;
}

StoredStudy two_cells(std::int64_t blocks) {
  return {Scaling::kStrong, {make_cell(0, 1, 64), make_cell(0, 2, 64)}, blocks};
}

}  // namespace

TEST_CASE("stored trials become estimates and a speedup", "[analysis]") {
  StoredStudy stored = two_cells(3);
  for (std::int64_t block = 0; block < 3; ++block) {
    const double slower = 1.0 + 0.1 * static_cast<double>(block);
    stored.finish({.cell = "d1b64", .block = block, .series = {steps_around(0.10 * slower)}});
    stored.finish({.cell = "d2b64", .block = block, .series = {steps_around(0.06 * slower)}});
  }
  const Results results = analyse(stored.store(), stored.study_id(), train_study());

  const EstimateRow time = find(results, stored.cell_id("d1b64"), "step_time_s");
  CHECK(*time.value == Approx(0.11));  // the warm-up is not in it
  CHECK(time.n == 3);
  CHECK(time.n_planned == 3);
  CHECK(*find(results, stored.cell_id("d2b64"), "throughput").value == Approx(64.0 / 0.066));
  REQUIRE(results.comparisons.size() == 2);
  CHECK(*results.comparisons[0].value == Approx(5.0 / 3.0));
  CHECK(test::has_threat(results, ThreatKind::kFewTrials));
}

TEST_CASE("a store says which measured number stands beside a published one", "[analysis]") {
  StoredStudy stored = two_cells(3);
  for (std::int64_t block = 0; block < 3; ++block) {
    SeriesRow base = steps_around(0.10);
    base.values.back() = 1.0;
    stored.finish({.cell = "d1b64", .block = block, .series = {base}});
    stored.finish({.cell = "d2b64", .block = block, .series = {steps_around(0.05)}});
  }
  PublicationRow publication = test::make_publication("paper", {"1.9x", "1.7x"});
  publication.study_id = stored.study_id();
  publication.figures[1].conditions = R"({"devices":"2"})";
  stored.store().put_publications({publication});
  stored.store().replace_results(stored.study_id(),
                                 analyse(stored.store(), stored.study_id(), train_study()));

  const auto rows = stored.store()
                        .query(
                            "SELECT printed, measured_cell, measured_value, measured_n, "
                            "not_compared FROM published ORDER BY row")
                        .rows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0][1] == Field("d2b64"));
  CHECK(std::get<double>(rows[0][2]) ==
        Approx(0.1901 / 0.05));  // 0.1 s, but one step of ten of 1 s
  CHECK(rows[0][3] == Field(std::int64_t{3}));
  CHECK(rows[0][4] == Field(""));
  CHECK(rows[1][2] == Field());
  CHECK(rows[1][4] == Field("the figure does not say: model"));
  const auto flagged =
      stored.store().query("SELECT trials, flagged_steps, share FROM flagged_steps").rows;
  REQUIRE(flagged.size() == 1);
  CHECK(flagged[0][0] == Field(std::int64_t{3}));
  CHECK(flagged[0][1] == Field(std::int64_t{3}));
  CHECK(std::get<double>(flagged[0][2]) == Approx(1.0 / 1.901));

  publication.hash = "paper-2";
  stored.store().put_publications({publication});

  CHECK(stored.store().results(stored.study_id()).counterparts.empty());  // of figures that left
}

TEST_CASE("only the last attempt of a trial gives values", "[analysis]") {
  StoredStudy stored = two_cells(1);
  stored.finish({.cell = "d1b64",
                 .state = TrialState::kFailed,
                 .retry = true,
                 .series = {step_times({9.0, 9.0}, 0)},
                 .wall_s = 1.0});
  stored.finish({.cell = "d1b64", .series = {step_times({0.1, 0.3}, 0)}});
  stored.finish({.cell = "d2b64", .state = TrialState::kTimeout});
  const Results results = analyse(stored.store(), stored.study_id(), train_study());

  const EstimateRow retried = find(results, stored.cell_id("d1b64"), "step_time_s");
  CHECK(*retried.value == Approx(0.2));
  CHECK(retried.n == 1);
  CHECK(retried.n_planned == 1);
  // One of two attempts at the one, the only attempt at the other.
  const auto failed =
      std::ranges::find(results.threats, ThreatKind::kFailedTrials, &ThreatRow::kind);
  REQUIRE(failed != results.threats.end());
  CHECK(has_numbers(failed->finding, {1, 2}));
  CHECK(has_numbers(failed->finding, {2, 64, 1, 1}));
}

TEST_CASE("series of single ranks do not count as the step time", "[analysis]") {
  StoredStudy stored = two_cells(1);
  SeriesRow rank = step_times({50.0, 60.0}, 0);
  rank.rank = 1;
  stored.finish({.cell = "d2b64", .series = {rank, step_times({0.2, 0.4}, 0)}});
  const Results results = analyse(stored.store(), stored.study_id(), train_study());

  CHECK(*find(results, stored.cell_id("d2b64"), "step_time_s").value == Approx(0.3));
}

TEST_CASE("a study in which every trial failed is analysed into what is missing", "[analysis]") {
  StoredStudy stored = two_cells(2);
  for (std::int64_t block = 0; block < 2; ++block) {
    for (const char* cell : {"d1b64", "d2b64"}) {
      stored.finish({.cell = cell, .block = block, .state = TrialState::kOom});
    }
  }
  Study study = train_study();
  study.analysis.thresholds = {{.metric = "speedup", .level = 1.0, .along = "batch_global"}};
  study.analysis.laws = {Law::kAmdahl, Law::kUsl};
  Target target;
  target.metric = "speedup";
  target.at_least = 1.5;
  study.analysis.targets = {target};
  const Results results = analyse(stored.store(), stored.study_id(), study);

  CHECK(find(results, stored.cell_id("d1b64"), "step_time_s").status ==
        RowStatus::kInsufficientData);
  CHECK(results.comparisons.at(0).verdict == Verdict::kOutOfMemory);
  CHECK(results.thresholds.at(0).status == RowStatus::kInsufficientData);
  CHECK(results.laws.at(0).status == RowStatus::kInsufficientData);
  CHECK(results.targets.at(0).verdict == TargetVerdict::kUndecided);
  CHECK(test::has_threat(results, ThreatKind::kFailedTrials));
}

TEST_CASE("a comparison of a cell without an ok trial has how these ended as its verdict",
          "[analysis]") {
  const auto verdict = [](const std::string& hash, std::vector<TrialState> states) {
    StoredStudy stored = two_cells(2);
    for (std::int64_t block = 0; block < 2; ++block) {
      const std::string other = hash == "d1b64" ? "d2b64" : "d1b64";
      const double slower = 1.0 + 0.1 * static_cast<double>(block);
      stored.finish({.cell = other, .block = block, .series = {steps_around(0.1 * slower)}});
      if (const auto at = static_cast<std::size_t>(block); at < states.size()) {
        stored.finish({.cell = hash, .block = block, .state = states[at]});
      }
    }
    const Results results = analyse(stored.store(), stored.study_id(), train_study());
    return to_word(results.comparisons.at(0).verdict);  // the speedup
  };
  using enum TrialState;

  CHECK(verdict("d2b64", {kFailed, kTimeout}) == "failed");
  CHECK(verdict("d2b64", {kOom, kOom}) == "out of memory");
  CHECK(verdict("d2b64", {kOom, kFailed}) == "failed");
  CHECK(verdict("d1b64", {kFailed, kFailed}) == "base failed");
  CHECK(verdict("d1b64", {kOom, kOom}) == "base out of memory");
  CHECK(verdict("d2b64", {kFailed}) == "not enough data");            // the second may yet be ok
  CHECK(verdict("d2b64", {kFailed, kInvalid}) == "not enough data");  // excluded by hand, say
}

TEST_CASE("a stored step time of zero makes every statistic that meets it invalid", "[analysis]") {
  StoredStudy stored = two_cells(5);
  for (std::int64_t block = 0; block < 5; ++block) {
    const double mean_s = 0.1 + 0.01 * static_cast<double>(block);
    stored.finish({.cell = "d1b64", .block = block, .series = {steps_around(mean_s)}});
    SeriesRow times = steps_around(0.5 * mean_s);
    times.values.back() = block == 3 ? 0.0 : times.values.back();
    stored.finish({.cell = "d2b64", .block = block, .series = {times}});
  }
  Study study = train_study();
  study.analysis.laws = {Law::kAmdahl};
  Target target;
  target.metric = "step_time_s";
  target.at_most = 1.0;
  study.analysis.targets = {target};
  const Results results = analyse(stored.store(), stored.study_id(), study);

  const std::int64_t cell = stored.cell_id("d2b64");
  for (const EstimateRow& row : results.estimates) {
    if (row.cell_id == cell && row.method == "mean_ci_t") {
      INFO(row.metric << " " << to_word(row.statistic) << " " << to_word(row.variant));
      CHECK(row.status == RowStatus::kInvalidInput);
      CHECK_FALSE(row.value.has_value());
      CHECK_FALSE(row.lo.has_value());
    }
  }
  CHECK(find(results, stored.cell_id("d1b64"), "step_time_s").status == RowStatus::kOk);
  for (const ComparisonRow& row : results.comparisons) {
    CHECK(row.status == RowStatus::kInvalidInput);
    CHECK_FALSE(row.value.has_value());
  }
  CHECK(results.laws.at(0).status == RowStatus::kInvalidInput);
  for (const TargetResultRow& row : results.targets) {
    CHECK(row.verdict == (row.cell_id == stored.cell_id("d1b64") ? TargetVerdict::kMet
                                                                 : TargetVerdict::kUndecided));
  }
  CHECK(std::ranges::count(results.targets, cell, &TargetResultRow::cell_id) == 1);
}

TEST_CASE("stored values of any finite size are analysed to an end", "[analysis]") {
  StoredStudy stored = two_cells(5);
  const std::vector<double> extremes = {5e-324, 1e-300, 1e-200, 1e150, 1.7e308};
  for (std::int64_t block = 0; block < 5; ++block) {
    const double extreme = extremes.at(static_cast<std::size_t>(block));
    stored.finish({.cell = "d1b64", .block = block, .series = {steps_around(0.1)}});
    SeriesRow times = steps_around(1.0);
    std::ranges::for_each(times.values, [extreme](double& value) { value = extreme; });
    SeriesRow loss = times;
    loss.metric = "loss";
    loss.unit = "";
    stored.finish({.cell = "d2b64",
                   .block = block,
                   .series = {times, loss},
                   .facts = {{"cpu_energy_j", extreme, "J"}},
                   .wall_s = extreme});
  }
  Study study = train_study();
  study.analysis.laws = {Law::kAmdahl, Law::kUsl};

  const Results results = analyse(stored.store(), stored.study_id(), study);
  stored.store().replace_results(stored.study_id(), results);  // takes finite numbers alone

  const std::int64_t cell = stored.cell_id("d2b64");
  CHECK(find(results, cell, "step_time_s").status == RowStatus::kInvalidInput);
  CHECK(find(results, stored.cell_id("d1b64"), "step_time_s").value.has_value());
}

TEST_CASE("failed attempts count also where a later attempt made them good", "[analysis]") {
  StoredStudy stored = two_cells(5);
  for (std::int64_t block = 0; block < 5; ++block) {
    const double mean_s = 0.1 + 0.01 * static_cast<double>(block);
    stored.finish({.cell = "d1b64", .block = block, .series = {steps_around(mean_s)}});
    stored.finish({.cell = "d2b64",
                   .block = block,
                   .state = TrialState::kFailed,
                   .retry = true,
                   .wall_s = 1.0});
    stored.finish({.cell = "d2b64", .block = block, .series = {steps_around(mean_s)}});
  }
  const Results results = analyse(stored.store(), stored.study_id(), train_study());

  CHECK(test::has_threat(results, ThreatKind::kFailedTrials));
  CHECK(has_numbers(results.comparisons.at(0).finding, {5, 10}));
}

TEST_CASE("a metric that trials gave in two units is in no result", "[analysis]") {
  StoredStudy stored = two_cells(2);
  for (std::int64_t block = 0; block < 2; ++block) {
    SeriesRow latency = steps_around(0.1);
    latency.metric = "latency";
    latency.unit = block == 0 ? "s" : "ms";
    stored.finish({.cell = "d1b64", .block = block, .series = {steps_around(0.1), latency}});
  }
  const Results results = analyse(stored.store(), stored.study_id(), train_study());

  CHECK(test::has_threat(results, ThreatKind::kMixedUnits));
  for (const EstimateRow& row : results.estimates) {
    CHECK(row.metric != "latency");
  }
}

TEST_CASE("excluded cells have no results", "[analysis]") {
  CellRow excluded = make_cell(0, 4, 64);
  excluded.excluded_reason = "exclude rule 1 (devices=4)";
  StoredStudy stored(Scaling::kStrong, {make_cell(0, 1, 64), excluded}, 2);
  stored.finish({.cell = "d1b64", .series = {step_times({0.1, 0.3}, 0)}});
  const Results results = analyse(stored.store(), stored.study_id(), train_study());

  for (const EstimateRow& row : results.estimates) {
    CHECK(row.cell_id == stored.cell_id("d1b64"));
  }
  CHECK_FALSE(results.estimates.empty());
}

TEST_CASE("load is judged with the cores that the session recorded", "[analysis]") {
  StoredStudy stored = two_cells(1);
  stored.finish({.cell = "d1b64",
                 .series = {steps_around(0.1)},
                 .foreign_load = 0.05,  // 2.5 % of 2 cores
                 .steal = 0.07});       // 3.5 %
  const Results results = analyse(stored.store(), stored.study_id(), train_study());

  CHECK_FALSE(test::has_threat(results, ThreatKind::kForeignLoad));
  CHECK(test::has_threat(results, ThreatKind::kSteal));
}

TEST_CASE("a GPU that heat slowed during a trial is a threat, an untroubled one none",
          "[analysis]") {
  for (const double share : {0.0, 0.25}) {
    StoredStudy stored = two_cells(1);
    stored.finish({.cell = "d1b64",
                   .series = {steps_around(0.1)},
                   .facts = {{"gpu1_throttled", share, "1"}, {"cpu_throttle_events", 0.0, ""}}});
    const Results results = analyse(stored.store(), stored.study_id(), train_study());

    CHECK(test::has_threat(results, ThreatKind::kThrottled) == (share > 0.0));
  }
}

TEST_CASE("a study that the store does not have is an error", "[analysis]") {
  const StoredStudy stored = two_cells(1);

  CHECK_THROWS_AS(analyse(stored.store(), 99, train_study()), Error);
}

TEST_CASE("a study without a single finished trial is analysed", "[analysis]") {
  const StoredStudy stored = two_cells(1);
  const Results results = analyse(stored.store(), stored.study_id(), train_study());

  CHECK(find(results, stored.cell_id("d1b64"), "step_time_s").n_planned == 1);
  CHECK_FALSE(test::has_threat(results, ThreatKind::kFailedTrials));
}

TEST_CASE("an oversubscribed trial marks its cell", "[analysis]") {
  StoredStudy stored = two_cells(2);
  for (std::int64_t block = 0; block < 2; ++block) {
    const double mean_s = 0.1 + 0.01 * static_cast<double>(block);
    stored.finish({.cell = "d1b64", .block = block, .series = {steps_around(mean_s)}});
    stored.finish({.cell = "d2b64",
                   .block = block,
                   .series = {steps_around(mean_s)},
                   .oversubscribed = true});
  }
  const Results results = analyse(stored.store(), stored.study_id(), train_study());

  CHECK(results.comparisons.at(0).verdict == Verdict::kNoClaim);
  CHECK(test::has_threat(results, ThreatKind::kOversubscribed));
}

TEST_CASE("bandwidths follow from the facts that a collective's trials recorded", "[analysis]") {
  StoredStudy stored(Scaling::kNone, {make_cell(0, 2, 64)}, 2);
  for (std::int64_t block = 0; block < 2; ++block) {
    stored.finish({.cell = "d2b64",
                   .block = block,
                   .series = {steps_around(0.5)},
                   .facts = {{"total_bytes", 1000.0, "bytes"}, {"busbw_factor", 0.5, ""}}});
  }
  Study study = train_study();
  study.workload = Workload::kCollective;
  const Results results = analyse(stored.store(), stored.study_id(), study);

  const std::int64_t cell = stored.cell_id("d2b64");
  CHECK(*find(results, cell, "algbw_bytes_per_s").value == Approx(2000.0));
  CHECK(*find(results, cell, "busbw_bytes_per_s").value == Approx(1000.0));
}
