// Targets whose trials count with a later attempt, after an earlier one failed.
#include <array>

#include "harness/analysis/analyse.h"
#include "harness/analysis/observe/observe.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using test::StoredStudy;

namespace {

constexpr const char* kBase = "d1b64";
constexpr const char* kCell = "d2b64";

// One attempt that gave no value before the one that counts.
struct Lost {
  TrialState state = TrialState::kFailed;
  std::optional<int> signal = std::nullopt;
  Disturbance disturbance = Disturbance::kNone;
};

// Two cells of so many blocks, of which the second is 1.8 times as fast; in the first block of
// `cell` that happened before, or instead.
StoredStudy make_study(const std::vector<Lost>& before,
                       std::int64_t blocks = 5,
                       const std::string& cell = kCell,
                       bool is_instead = false) {
  StoredStudy stored(
      Scaling::kStrong, {test::make_cell(0, 1, 64), test::make_cell(0, 2, 64)}, blocks);
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (const char* hash : {kBase, kCell}) {
      double wall_s = 1.0;
      for (const Lost& lost : block == 0 && hash == cell ? before : std::vector<Lost>()) {
        stored.finish({.cell = hash,
                       .block = block,
                       .state = lost.state,
                       .retry = true,
                       .disturbance = lost.disturbance,
                       .wall_s = wall_s++,
                       .signal = lost.signal});
      }
      if (block == 0 && hash == cell && is_instead) {
        continue;
      }
      const double noise = 0.001 * static_cast<double>(block);
      const double time_s = hash == kCell ? 1.0 + noise : 1.8 * (1.0 - 2.0 * noise);
      stored.finish({.cell = hash,
                     .block = block,
                     .series = {test::step_times(std::vector<double>(4, time_s), 0)},
                     .wall_s = wall_s});
    }
  }
  return stored;
}

// What is wanted is met at 1.8.
TargetResultRow judge(const std::vector<Lost>& before,
                      std::int64_t blocks = 5,
                      const std::string& cell = kCell,
                      bool is_instead = false,
                      double at_least = 1.5) {
  const StoredStudy stored = make_study(before, blocks, cell, is_instead);
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.baseline = {{"devices", std::int64_t{1}}};
  study.analysis.targets = {{.name = "wish",
                             .metric = "speedup",
                             .where = {},
                             .at_least = at_least,
                             .at_most = std::nullopt}};
  return analyse(stored.store(), stored.study_id(), study).targets.at(0);
}

TEST_CASE("a target that a trial meets only at its third attempt is not met", "[analysis]") {
  CHECK(judge({}).verdict == TargetVerdict::kMet);

  const TargetResultRow row = judge({{}, {.state = TrialState::kTimeout}});
  CHECK(row.verdict == TargetVerdict::kUndecided);
  CHECK_THAT(row.finding,
             Contains("(would be met, but 1 of 5 trials of 2 devices, batch 64 counts only with a "
                      "later attempt, up to attempt 3: the best of several is no evidence)"));
}

TEST_CASE("a target that is missed in spite of later attempts is missed", "[analysis]") {
  const TargetResultRow row = judge({{}}, 5, kCell, false, 2.5);

  CHECK(row.verdict == TargetVerdict::kMissed);
  CHECK_THAT(row.finding, !Contains("would be met"));
}

TEST_CASE("one later attempt among twenty is told beside a target that is met", "[analysis]") {
  const TargetResultRow row = judge({{.state = TrialState::kInvalid}}, 20);

  CHECK(row.verdict == TargetVerdict::kMet);
  CHECK_THAT(row.finding,
             EndsWith("wanted at least 1.5x (1 of 20 trials of 2 devices, batch 64 counts only "
                      "with a later attempt, up to attempt 2)"));
}

TEST_CASE("later attempts of the base are a choice as well", "[analysis]") {
  CHECK(judge({{}}, 5, kBase).verdict == TargetVerdict::kUndecided);
}

TEST_CASE("a target on a metric that is no ratio to the base does not depend on it", "[analysis]") {
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.baseline = {{"devices", std::int64_t{1}}};
  study.analysis.metrics = {{.metric = "wall_s"}};
  study.analysis.targets = {{.name = "wish",
                             .metric = "wall_s",
                             .where = {{"devices", std::int64_t{2}}},
                             .at_least = std::nullopt,
                             .at_most = 2.0}};
  const StoredStudy retried = make_study({{}}, 5, kBase);
  StoredStudy shared(Scaling::kStrong, {test::make_cell(0, 1, 64), test::make_cell(0, 2, 64)}, 5);
  for (std::int64_t block = 0; block < 5; ++block) {
    const std::vector<SeriesRow> series = {test::step_times({1.0, 1.0}, 0)};
    shared.finish({.cell = kBase, .block = block, .series = series, .oversubscribed = true});
    shared.finish({.cell = kCell, .block = block, .series = series});
  }
  for (const StoredStudy* stored : std::array<const StoredStudy*, 2>{&retried, &shared}) {
    const TargetResultRow row = analyse(stored->store(), stored->study_id(), study).targets.at(0);
    CHECK(row.verdict == TargetVerdict::kMet);
    CHECK_THAT(row.finding, !Contains("attempt") && !Contains("claim"));
  }
}

TEST_CASE("a trial that no attempt gave is missing, and chose nothing", "[analysis]") {
  const TargetResultRow row = judge({{}, {}}, 6, kCell, true);

  CHECK(row.verdict == TargetVerdict::kMet);
  CHECK_THAT(row.finding,
             EndsWith("(survivors only: 2 of 7 attempts of 2 devices, batch 64 failed)"));
}

TEST_CASE("an attempt that a signal ended, or a declared rule put aside, chooses nothing",
          "[analysis]") {
  for (const Lost& lost :
       {Lost{.signal = 9},
        Lost{.state = TrialState::kInvalid, .disturbance = Disturbance::kForeignLoad}}) {
    const TargetResultRow row = judge({lost});
    CHECK(row.verdict == TargetVerdict::kMet);
    CHECK_THAT(row.finding, !Contains("attempt,"));
  }
  // A timeout is ended by a signal of the harness itself, by how long it took.
  CHECK(judge({{.state = TrialState::kTimeout, .signal = 15}}).verdict ==
        TargetVerdict::kUndecided);
}

TEST_CASE("a launch whose log was read again is no later attempt", "[analysis]") {
  StoredStudy stored(Scaling::kStrong, {test::make_cell(0, 1, 64)}, 1);
  stored.finish({.cell = kBase, .state = TrialState::kInvalid});
  TrialRecord record;
  record.trial = stored.store().trials(stored.study_id()).at(0);
  record.trial.state = TrialState::kOk;
  record.series = {test::step_times({1.0, 1.0}, 0)};
  Study study;
  stored.store().add_reading(record);

  const CellObservation cell = observe(stored.store(), stored.study_id(), study).cells.at(0);
  REQUIRE(cell.trials.size() == 1);
  CHECK(cell.trials[0].row.attempt == 2);
  CHECK(cell.failures.empty());
  CHECK(cell.retried.empty());
  CHECK(cell.chosen.trials == 0);
}

TEST_CASE("an imported log that was read again failed only if its last reading did", "[analysis]") {
  StoredStudy stored(Scaling::kStrong, {test::make_cell(0, 1, 64)}, 0);
  Store& store = stored.store();
  TrialRecord record;
  record.trial.study_id = stored.study_id();
  record.trial.cell_id = stored.cell_id(kBase);
  record.trial.provenance = TrialProvenance::kImported;
  record.trial.state = TrialState::kFailed;
  record.trial.source_hash = "a";
  store.add_imported({record});
  const auto read_again = [&](const std::string& reason) {
    for (const TrialRow& trial : store.trials(stored.study_id())) {
      record.trial.id = trial.superseded ? record.trial.id : trial.id;
    }
    record.trial.reason = reason;
    store.add_reading(record);
    return observe(store, stored.study_id(), Study()).cells.at(0);
  };

  CHECK(failed_count(read_again("another")) == 1);

  record.trial.state = TrialState::kOk;
  record.series = {test::step_times({1.0, 1.0}, 0)};
  const CellObservation cell = read_again("");
  REQUIRE(cell.trials.size() == 1);
  CHECK(cell.trials[0].row.attempt == 3);
  CHECK(cell.failures.empty());
  CHECK(cell.chosen.trials == 0);
}

}  // namespace
