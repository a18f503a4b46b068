// Disturbed trials, and a machine that does not stay the same.
#include <algorithm>

#include "harness/analysis/analyse.h"
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/stored_study.h"
#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy;

using Catch::Contains;
using test::make_cell;
using test::Noise;
using test::step_times;
using test::StoredStudy;

namespace {

std::vector<CalibrationTime> calibrations(const std::vector<double>& block_times_s,
                                          double cv,
                                          Noise& noise) {
  std::vector<CalibrationTime> times;
  for (std::size_t block = 0; block < block_times_s.size(); ++block) {
    for (int i = 0; i < 2; ++i) {
      times.push_back({.session = 1,
                       .host = "here",
                       .group = static_cast<std::int64_t>(block),
                       .time_s = block_times_s[block] * noise.factor(cv)});
    }
  }
  return times;
}

std::vector<ThreatRow> machine_threats_of(const std::vector<CalibrationTime>& times,
                                          double margin = 0.02) {
  StudyObservation observation;
  observation.calibrations = times;
  Study study;
  study.analysis.margin = margin;
  return machine_threats(observation, study);
}

EstimateRow find(const Results& results, std::int64_t cell, Variant variant) {
  const auto found = std::ranges::find_if(results.estimates, [&](const EstimateRow& row) {
    return row.cell_id == cell && row.variant == variant && row.metric == "step_time_s" &&
           row.statistic == Statistic::kMean;
  });
  REQUIRE(found != results.estimates.end());
  return *found;
}

const ThreatRow* find_threat(const Results& results, ThreatKind kind) {
  const auto found = std::ranges::find(results.threats, kind, &ThreatRow::kind);
  return found == results.threats.end() ? nullptr : &*found;
}

// Blocks of two cells; those of two devices whose block is in `hot` are disturbed, and, if put
// aside, good at the second attempt.
StoredStudy heated(std::int64_t blocks, std::int64_t hot, bool is_put_aside) {
  StoredStudy stored(Scaling::kStrong, {make_cell(0, 1, 64), make_cell(0, 2, 64)}, blocks);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const double time_s = 1.0 + 0.001 * static_cast<double>(block);
    stored.finish({.cell = "d1b64", .block = block, .series = {step_times({time_s, time_s}, 0)}});
    if (block < hot) {
      stored.finish({.cell = "d2b64",
                     .block = block,
                     .state = is_put_aside ? TrialState::kInvalid : TrialState::kOk,
                     .retry = is_put_aside,
                     .series = {step_times({1.5 * time_s, 1.5 * time_s}, 0)},
                     .disturbance = Disturbance::kThrottled});
    }
    if (block >= hot || is_put_aside) {
      stored.finish({.cell = "d2b64", .block = block, .series = {step_times({time_s, time_s}, 0)}});
    }
  }
  return stored;
}

Results analysed(const StoredStudy& stored) {
  Study study;
  study.workload = Workload::kTrain;
  return analyse(stored.store(), stored.study_id(), study);
}

}  // namespace

TEST_CASE("a slow block is found, and a machine that stays slower", "[analysis]") {
  Noise noise(1);
  std::vector<double> blocks(10, 0.05);
  blocks[6] = 0.056;
  const auto one = machine_threats_of(calibrations(blocks, 0.005, noise));
  REQUIRE(one.size() == 1);
  CHECK(one[0].kind == ThreatKind::kChangedMachine);
  // Three significant digits of what was measured.
  CHECK_THAT(
      one[0].finding,
      Catch::Matches(".* [0-9]{1,2}(\\.[0-9]{1,2})? % longer around block 7 of session 1.*"));

  std::vector<double> lasting(10, 0.05);
  std::fill(lasting.begin() + 5, lasting.end(), 0.053);
  const auto from = machine_threats_of(calibrations(lasting, 0.005, noise));
  REQUIRE(from.size() == 1);
  CHECK_THAT(
      from[0].finding,
      Catch::Matches(".* [0-9]{1,2}(\\.[0-9]{1,2})? % longer from block 6 of session 1 on.*"));
}

TEST_CASE("a machine that is slower in the last block alone changed in that one", "[analysis]") {
  Noise noise(6);
  std::vector<double> blocks(20, 0.05);
  blocks[19] = 0.055;
  const auto found = machine_threats_of(calibrations(blocks, 0.001, noise));
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].finding, Contains(", and 9.97 % longer from block 20 of session 1 on."));
}

TEST_CASE("a change among thousands of calibrations is found in time", "[analysis]") {
  Noise noise(4);
  std::vector<double> blocks(20000, 0.05);
  std::fill(blocks.begin() + 12000, blocks.end(), 0.053);
  const auto found = machine_threats_of(calibrations(blocks, 0.005, noise));
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].finding, Contains("longer from block 120"));  // and two digits more
}

TEST_CASE("a change smaller than the study's margin is none", "[analysis]") {
  Noise noise(1);
  std::vector<double> blocks(10, 0.05);
  blocks[6] = 0.0506;
  CHECK(machine_threats_of(calibrations(blocks, 0.0005, noise)).empty());
  CHECK(machine_threats_of(calibrations(blocks, 0.0005, noise), 0.005).size() == 1);
}

TEST_CASE("a steady machine is called changed in one study of twenty at most", "[analysis]") {
  // Whatever the margin: of noise with CV 3 %, differences of 0.1 % would matter.
  Noise noise(2);
  constexpr int studies = 400;
  for (const std::size_t blocks : {3U, 5U, 10U, 20U}) {
    int changed = 0;
    for (int study = 0; study < studies; ++study) {
      changed +=
          machine_threats_of(calibrations(std::vector<double>(blocks, 0.05), 0.03, noise), 0.001)
                  .empty()
              ? 0
              : 1;
    }
    CAPTURE(blocks, changed);
    CHECK(changed <= 36);  // 5 % and 3.7 standard errors
  }
}

TEST_CASE("a slow block of 10 % is found in nine studies of ten", "[analysis]") {
  Noise noise(3);
  int found = 0;
  for (int study = 0; study < 200; ++study) {
    std::vector<double> blocks(10, 0.05);
    blocks[static_cast<std::size_t>(study % 10)] = 0.055;
    found += machine_threats_of(calibrations(blocks, 0.01, noise)).empty() ? 0 : 1;
  }
  CHECK(found >= 180);
}

TEST_CASE("calibrations come from the trials around which they were timed", "[analysis]") {
  StoredStudy stored(Scaling::kStrong, {make_cell(0, 1, 64)}, 10);
  for (std::int64_t block = 0; block < 10; ++block) {
    const double wobble = 1.0 + 0.001 * static_cast<double>(block % 3);
    const double time_s = (block == 4 ? 0.06 : 0.05) * wobble;
    stored.finish({.cell = "d1b64",
                   .block = block,
                   .series = {step_times({1.0, 1.0}, 0)},
                   .facts = {{"calibration_before_s", time_s, "s"},
                             {"calibration_after_s", time_s * 1.0005, "s"}}});
  }

  const Results results = analysed(stored);
  const ThreatRow* changed = find_threat(results, ThreatKind::kChangedMachine);

  REQUIRE(changed != nullptr);
  CHECK_THAT(changed->finding, Contains("around block 5 of session 1"));
}

TEST_CASE("a cell with disturbed trials has both estimates, marked or put aside", "[analysis]") {
  for (const bool is_put_aside : {false, true}) {
    const StoredStudy stored = heated(5, 2, is_put_aside);
    const Results results = analysed(stored);
    const std::int64_t cell = stored.cell_id("d2b64");
    CAPTURE(is_put_aside);

    const EstimateRow with = find(results, cell, Variant::kWithDisturbed);
    const EstimateRow without = find(results, cell, Variant::kUndisturbed);
    const EstimateRow all = find(results, cell, Variant::kAll);
    CHECK(with.n == 5);
    CHECK(with.value.value() == Approx((1.5 + 1.5015 + 1.002 + 1.003 + 1.004) / 5.0));
    CHECK(with.lo.has_value());
    CHECK(without.n == (is_put_aside ? 5 : 3));
    CHECK(without.value.value() < 1.01);
    CHECK(without.lo.has_value());
    CHECK(all.value == (is_put_aside ? without.value : with.value));
    CHECK(std::ranges::none_of(results.estimates, [&](const EstimateRow& row) {
      return row.cell_id != cell && row.variant == Variant::kWithDisturbed;
    }));
    CHECK(find_threat(results, ThreatKind::kFailedTrials) == nullptr);
    CHECK(find_threat(results, ThreatKind::kRetriedFailures) == nullptr);
  }
}

TEST_CASE("what was put aside is told, and whether one cell's own state is gone with it",
          "[analysis]") {
  CHECK(find_threat(analysed(heated(5, 2, false)), ThreatKind::kDisturbedTrials) == nullptr);

  const Results few = analysed(heated(5, 2, true));
  const ThreatRow* told = find_threat(few, ThreatKind::kDisturbedTrials);
  REQUIRE(told != nullptr);
  CHECK_THAT(told->finding,
             Contains("2 of 10 trials were disturbed more than validity allows (throttled 2)"));
  CHECK_THAT(told->finding, Contains("2 devices, batch 64: 2 of 5"));
  CHECK_THAT(told->finding, Contains("differ between cells by no more than chance"));

  const Results many = analysed(heated(10, 8, true));
  const ThreatRow* own = find_threat(many, ThreatKind::kDisturbedTrials);
  REQUIRE(own != nullptr);
  CHECK_THAT(own->finding, Contains("setting them aside hides it"));
  CHECK(find_threat(analysed(heated(10, 8, false)), ThreatKind::kDisturbedTrials) != nullptr);
}

TEST_CASE("trials put aside until none was left have the estimate with them", "[analysis]") {
  StoredStudy stored(Scaling::kStrong, {make_cell(0, 1, 64)}, 2);
  for (std::int64_t block = 0; block < 2; ++block) {
    stored.finish({.cell = "d1b64",
                   .block = block,
                   .state = TrialState::kInvalid,
                   .series = {step_times({1.0 + 0.1 * static_cast<double>(block)}, 0)},
                   .disturbance = Disturbance::kForeignLoad});
  }
  const Results results = analysed(stored);

  CHECK(find(results, stored.cell_id("d1b64"), Variant::kWithDisturbed).n == 2);
  CHECK(find(results, stored.cell_id("d1b64"), Variant::kUndisturbed).n == 0);
  CHECK_FALSE(find(results, stored.cell_id("d1b64"), Variant::kAll).value.has_value());
}
