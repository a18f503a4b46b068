// Two equal or unequal cells whose trials are not all where the design put them: through the
// analysis, and through a store. Bounds are four Monte-Carlo standard errors.
#include "tests/analysis/simulation/compared_studies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "harness/analysis/analyse.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using test::make_cell;
using test::StoredStudy;

namespace {

constexpr std::uint64_t kSeed = 20261122;

double band(double share, std::size_t replicates) {
  return 4.0 * std::sqrt(share * (1.0 - share) / static_cast<double>(replicates));
}

// A study of two equal cells as a runner stores it: ten blocks, the first `early` of one cell and
// `early_cell` of the other in a first session, the rest in a second, 5 % slower one.
Results analyse_shared_sessions(std::size_t early, std::size_t early_cell, Noise& noise) {
  const std::vector<CellRow> cells = {make_cell(0, 1, 8), make_cell(0, 2, 8)};
  StoredStudy stored(Scaling::kStrong, cells, 10);
  const auto run = [&](const CellRow& cell, std::size_t from, std::size_t to, double level) {
    for (std::size_t block = from; block < to; ++block) {
      const std::vector<double> steps_s(4, level * noise.factor(0.01));
      stored.finish({.cell = cell.hash,
                     .block = static_cast<std::int64_t>(block),
                     .series = {test::step_times(steps_s, 0)}});
    }
  };
  run(cells[0], 0, early, 1.0);
  run(cells[1], 0, early_cell, 1.0);
  stored.next_session();
  run(cells[0], early, 10, 1.05);
  run(cells[1], early_cell, 10, 1.05);
  Study study;
  study.workload = Workload::kTrain;
  return analyse(stored.store(), stored.study_id(), study);
}

// Two cells in a row of six trials, the second twice as fast and `sessions` sessions later, which
// tell the kernel as `kernels` says for either cell.
Results analyse_in_a_row(std::size_t sessions, const std::array<std::string, 2>& kernels) {
  const std::vector<CellRow> cells = {make_cell(0, 1, 8), make_cell(0, 2, 8)};
  StoredStudy stored(Scaling::kStrong, cells, 6);
  Noise noise(kSeed);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t block = 0; block < 6; ++block) {
      if (block < sessions) {
        stored.next_session({"kernel", kernels.at(i)});
      }
      stored.finish(
          {.cell = cells[i].hash,
           .block = static_cast<std::int64_t>(block),
           .series = {test::step_times(
               std::vector<double>(4, noise.factor(0.01) / static_cast<double>(i + 1)), 0)}});
    }
  }
  Study study;
  study.workload = Workload::kTrain;
  study.order.design = OrderDesign::kBatch;
  Target target;
  target.name = "pays";
  target.metric = "speedup";
  target.at_least = 1.5;
  study.analysis.targets = {target};
  study.analysis.thresholds = {{.metric = "speedup", .level = 1.5, .along = "devices"}};
  return analyse(stored.store(), stored.study_id(), study);
}

// Two equal cells over ten blocks, each 5 % slower than the one before. The last `lost` trials of
// the base and the first `lost_cell` of the cell failed.
Results analyse_lost_trials(std::int64_t lost, std::int64_t lost_cell, OrderDesign design) {
  constexpr std::int64_t blocks = 10;
  const std::vector<CellRow> cells = {make_cell(0, 1, 8), make_cell(0, 2, 8)};
  StoredStudy stored(Scaling::kStrong, cells, blocks);
  Noise noise(kSeed);
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (const CellRow& cell : cells) {
      const bool is_lost = cell.devices == 1 ? block >= blocks - lost : block < lost_cell;
      const double time_s = std::pow(1.05, static_cast<double>(block)) * noise.factor(0.002);
      test::Attempt attempt{.cell = cell.hash, .block = block};
      attempt.state = is_lost ? TrialState::kFailed : TrialState::kOk;
      if (!is_lost) {
        attempt.series = {test::step_times(std::vector<double>(4, time_s), 0)};
      }
      stored.finish(attempt);
    }
  }
  Study study;
  study.workload = Workload::kTrain;
  study.order.design = design;
  return analyse(stored.store(), stored.study_id(), study);
}

std::string drift_of(const Results& results) {
  const auto found = std::ranges::find(results.threats, ThreatKind::kDrift, &ThreatRow::kind);
  REQUIRE(found != results.threats.end());
  return found->finding;
}

}  // namespace

TEST_CASE("stored trials that lost their partners are not compared under drift", "[analysis]") {
  const Results paired = analyse_lost_trials(3, 2, OrderDesign::kBlocks);
  CHECK(paired.comparisons.at(0).method == RatioMethod::kPaired);
  CHECK(paired.comparisons.at(0).n == 5);
  CHECK(*paired.comparisons.at(0).value == Approx(1.0).margin(0.01));
  CHECK(drift_of(paired).find("Pairing inside blocks takes what cells share of it out") !=
        std::string::npos);

  // All trials would make it 1.05 to the third power.
  const Results few = analyse_lost_trials(3, 3, OrderDesign::kBlocks);
  const ComparisonRow& speedup = few.comparisons.at(0);
  INFO(speedup.finding);
  CHECK(speedup.method == RatioMethod::kIndependent);
  CHECK(speedup.n == 4);
  CHECK(speedup.trials.size() == 4);
  CHECK(*speedup.value == Approx(1.0).margin(0.01));
  CHECK(speedup.verdict == Verdict::kNoDetectableDifference);
  CHECK(drift_of(few).find("without pairs inside blocks, of every comparison") !=
        std::string::npos);

  const ComparisonRow one = analyse_lost_trials(5, 4, OrderDesign::kBlocks).comparisons.at(0);
  CHECK(one.verdict == Verdict::kNotEnoughData);
  CHECK_FALSE(one.p_value.has_value());

  const ComparisonRow batch = analyse_lost_trials(3, 3, OrderDesign::kBatch).comparisons.at(0);
  CHECK(batch.n == 7);
}

TEST_CASE("the speedup of stored trials counts slow launches as machine time does", "[analysis]") {
  for (const std::int64_t blocks : {20, 30}) {
    const std::vector<CellRow> cells = {make_cell(0, 1, 8), make_cell(0, 2, 8)};
    StoredStudy stored(Scaling::kStrong, cells, blocks);
    Noise noise(kSeed);
    std::map<std::int64_t, double> sum_s;
    for (std::int64_t block = 0; block < blocks; ++block) {
      for (const CellRow& cell : cells) {
        const double slow = cell.devices == 2 && block % 10 == 4 ? 3.0 : 1.0;
        const double time_s = slow * noise.factor(0.01) / static_cast<double>(cell.devices);
        sum_s[cell.devices] += time_s;
        stored.finish({.cell = cell.hash,
                       .block = block,
                       .series = {test::step_times(std::vector<double>(4, time_s), 0)}});
      }
    }
    Study study;
    study.workload = Workload::kTrain;
    const ComparisonRow speedup =
        analyse(stored.store(), stored.study_id(), study).comparisons.at(0);

    INFO(speedup.finding);
    CHECK(speedup.method == RatioMethod::kPaired);
    CHECK(*speedup.value == Approx(sum_s.at(1) / sum_s.at(2)));
    CHECK((speedup.finding.find("29") != std::string::npos) ==
          (blocks < 29));  // too few for slow ones
  }
}

TEST_CASE("stored cells that few sessions of different software ran are not attributable",
          "[analysis]") {
  for (const std::size_t sessions : {1U, 4U}) {
    const Results results = analyse_in_a_row(sessions, {"Linux 6.1", "Linux 6.6"});
    const ComparisonRow& speedup = results.comparisons.at(0);

    INFO(speedup.finding);
    CHECK(speedup.verdict == Verdict::kNotEnoughData);
    CHECK_FALSE(speedup.value.has_value());
    CHECK_FALSE(speedup.p_value.has_value());
    CHECK(std::ranges::none_of(results.targets, [](const TargetResultRow& row) {
      return row.verdict == TargetVerdict::kMet || row.value.has_value();
    }));
    CHECK(results.thresholds.at(0).tested_values == 0);
    const auto threat =
        std::ranges::find(results.threats, ThreatKind::kAcrossSessions, &ThreatRow::kind);
    REQUIRE(threat != results.threats.end());
    CHECK(threat->severity == Severity::kWarning);
    CHECK(threat->finding.starts_with("Not attributable: 2 devices"));
  }
  // Of the same software, or from five sessions a side on, they are compared.
  for (const auto& [sessions, later] : {std::pair(1U, "Linux 6.1"), {5U, "Linux 6.6"}}) {
    const ComparisonRow speedup =
        analyse_in_a_row(sessions, {"Linux 6.1", later}).comparisons.at(0);
    INFO(speedup.finding);
    CHECK(speedup.verdict == Verdict::kFaster);
  }
}

TEST_CASE(
    "stored trials that two sessions share unequally call equal cells different no more often "
    "than others",
    "[analysis][slow]") {
  constexpr std::size_t studies = 150;
  Noise noise(kSeed);
  std::size_t called = 0;
  for (std::size_t i = 0; i < studies; ++i) {
    const Results results = analyse_shared_sessions(9, 1, noise);
    const ComparisonRow& speedup = results.comparisons.at(0);
    called += speedup.verdict == Verdict::kFaster || speedup.verdict == Verdict::kSlower ? 1 : 0;
    REQUIRE(speedup.n == 2);
    CHECK(results.estimates.at(0).method == "mean_ci_t_within");
    CHECK(std::ranges::count(results.threats, ThreatKind::kSessions, &ThreatRow::kind) == 1);
  }

  CHECK(static_cast<double>(called) / studies <= 0.05 + band(0.05, studies));
}

TEST_CASE("equal cells are called different once in twenty at most, whatever sessions and losses",
          "[analysis]") {
  constexpr std::size_t replicates = 1000;
  for (const auto& [base, cell] : {std::pair(5U, 5U), {9U, 1U}, {7U, 5U}}) {
    INFO(base << " and " << cell << " of 10 in the first session");
    const VerdictTally tally = run_shared_sessions(base, cell, replicates, kSeed);
    CHECK(tally.called.share() <= 0.05 + band(0.05, replicates));
    CHECK(tally.told.share() == 1.0);
  }
  for (const std::size_t common : {0U, 2U, 4U, 6U}) {
    INFO(common << " blocks hold both");
    const VerdictTally tally = run_lost_trials(common, replicates, kSeed);
    CHECK(tally.called.share() <= 0.05 + band(0.05, replicates));
    CHECK(tally.told.share() == 1.0);
  }
  CHECK(run_session_verdicts(6, replicates, kSeed).share() <= 0.05 + band(0.05, replicates));
}

TEST_CASE("the interval of a step time covers what it speaks of, few sessions or many",
          "[analysis]") {
  constexpr std::size_t replicates = 2000;
  const SessionTally two = run_sessions(2, 5, replicates, kSeed);
  const SessionTally six = run_sessions(6, 3, replicates, kSeed);

  CHECK(std::abs(two.within.share() - 0.95) <= band(0.95, replicates));
  CHECK(two.told.share() == 1.0);
  CHECK(two.beyond.share() < 0.6);  // no interval of two sessions could: so it is said
  CHECK(std::abs(six.beyond.share() - 0.95) <= band(0.95, replicates));
}

TEST_CASE("a speedup covers the ratio of machine times", "[analysis]") {
  constexpr std::size_t replicates = 2000;
  const auto covered = [&](Launches base, Launches cell, std::size_t blocks, double drift) {
    return run_speedups(base, cell, blocks, drift, replicates, kSeed).covered.share();
  };

  CHECK(std::abs(covered(Launches::kTrial3, Launches::kTrial3, 5, 0.1) - 0.95) <=
        band(0.95, replicates));
  // 30 % of spread on one side: of geometric means, 86 % at 50 blocks.
  CHECK(std::abs(covered(Launches::kTrial3, Launches::kNormal30, 50, 0.0) - 0.95) <=
        band(0.95, replicates));
  const MeansTally slow =
      run_speedups(Launches::kTrial1, Launches::kSlow, 10, 0.0, replicates, kSeed);
  CHECK(slow.covered.share() < 0.8);  // which is why the sentence says that no method covers it
  CHECK(slow.told.share() > 0.95);
}

TEST_CASE("a target over seven cells on its level is wrongly met in one of them once in twenty",
          "[analysis]") {
  constexpr std::size_t replicates = 1000;
  const TargetTally tally = run_targets(replicates, kSeed);

  CHECK(tally.cell_met.share() <= 0.05 + band(0.05, replicates));
  CHECK(tally.missed.share() <= 0.05 + band(0.05, replicates));
  CHECK(tally.disagrees.hits == 0);
}

TEST_CASE("stored cells of one target and the target itself are told with one word", "[analysis]") {
  std::vector<CellRow> cells = {make_cell(0, 1, 8)};
  for (const std::int64_t devices : {2, 4, 8}) {
    cells.push_back(make_cell(0, devices, 8));
  }
  const std::map<std::int64_t, double> speedups = {{1, 1.0}, {2, 1.8}, {4, 3.0}, {8, 1.5}};
  StoredStudy stored(Scaling::kStrong, cells, 8);
  Noise noise(kSeed);
  for (std::int64_t block = 0; block < 8; ++block) {
    for (const CellRow& cell : cells) {
      const double time_s = noise.factor(0.01) / speedups.at(cell.devices);
      stored.finish({.cell = cell.hash,
                     .block = block,
                     .series = {test::step_times(std::vector<double>(4, time_s), 0)}});
    }
  }
  Study study;
  study.workload = Workload::kTrain;
  for (const double level : {1.2, 2.0}) {
    Target target;
    target.name = "at least " + std::to_string(level);
    target.metric = "speedup";
    target.at_least = level;
    study.analysis.targets.push_back(target);
  }
  const std::vector<TargetResultRow> rows =
      analyse(stored.store(), stored.study_id(), study).targets;

  std::vector<TargetVerdict> verdicts;
  for (const TargetResultRow& row : rows) {
    verdicts.push_back(row.verdict);
    INFO(row.finding);
    CHECK(row.cell_id.has_value() == (verdicts.size() % 4 != 1));
  }
  using enum TargetVerdict;
  CHECK(verdicts ==
        std::vector<TargetVerdict>{kMet, kMet, kMet, kMet, kMissed, kMissed, kMet, kMissed});
}
