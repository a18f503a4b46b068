// Rates that a program prints against its step times: how often a true one is called false.
#include "harness/analysis/estimates/printed_rates.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/observe/observe.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace scalestudy;

namespace {

enum class Printed { kEachStep, kEveryTenth, kOnce };

struct Noise {
  double sd = 0.03;          // of log step times
  double correlation = 0.0;  // from step to step
  double slow_share = 0.0;   // steps that take five times as long
};

double rounded(double value, double unit) {
  return std::round(value / unit) * unit;
}

// One trial of 100 steps of about 50 ms, printed in 0.1 ms, and samples/s of `batch` in tenths.
std::vector<SeriesRow> trial_of(
    Printed printed, const Noise& noise, double batch, double factor, test::Random& random) {
  constexpr int steps = 100;
  constexpr int tenth = 10;
  SeriesRow rates{"samples_per_s", "samples/s", std::nullopt, 0, {}};
  std::vector<double> times;
  double state = random.normal();
  double sum = 0.0;
  double sum_of_ten = 0.0;
  for (int i = 0; i < steps; ++i) {
    state = noise.correlation * state +
            std::sqrt(1.0 - noise.correlation * noise.correlation) * random.normal();
    const double time =
        0.05 * std::exp(noise.sd * state) * (random.uniform() < noise.slow_share ? 5.0 : 1.0);
    times.push_back(rounded(time, 1e-4));
    sum += time;
    sum_of_ten += time;
    if (printed == Printed::kEachStep) {
      rates.values.push_back(rounded(factor * batch / time, 0.1));
    } else if (printed == Printed::kEveryTenth && (i + 1) % tenth == 0) {
      rates.values.push_back(rounded(factor * batch * tenth / sum_of_ten, 0.1));
      sum_of_ten = 0.0;
    }
  }
  if (printed == Printed::kOnce) {
    rates.values.push_back(rounded(factor * batch * steps / sum, 0.1));
  }
  return {test::step_times(std::move(times), 0), std::move(rates)};
}

Study study_of_rates() {
  Study study;
  study.workload = Workload::kCommand;
  study.extract.resize(2);
  study.extract[0].metric = kStepTime;
  study.extract[0].regex = "time (.*)";
  study.extract[1].metric = "samples_per_s";
  study.extract[1].regex = "rate (.*)";
  return study;
}

// Of each cell that has one on samples_per_s.
std::vector<RateVerdict> verdicts_in(const test::StoredStudy& stored, const Study& study) {
  const StudyObservation observation = observe(stored.store(), stored.study_id(), study);
  std::vector<EstimateRow> rows = estimate_cells(observation, study);
  check_printed_rates(stored.store(), observation, study, rows);
  std::vector<RateVerdict> verdicts;
  for (const EstimateRow& row : rows) {
    if (row.metric == "samples_per_s" && row.recomputed_verdict) {
      verdicts.push_back(*row.recomputed_verdict);
    }
  }
  return verdicts;
}

// The verdicts on 50 cells with three trials, each made of its cell's batch.
std::vector<RateVerdict> verdicts_on(
    const std::function<std::vector<SeriesRow>(double batch)>& make_trial) {
  constexpr int trials = 3;
  const Study study = study_of_rates();
  std::vector<CellRow> cells;
  for (std::int64_t batch = 64; batch < 114; ++batch) {
    cells.push_back(test::make_cell(batch, 1, batch));
  }
  test::StoredStudy stored(Scaling::kStrong, cells, trials);
  for (const CellRow& cell : cells) {
    for (int block = 0; block < trials; ++block) {
      const auto batch = static_cast<double>(cell.batch_global.value());
      stored.finish(
          {.cell = cell.hash, .block = block, .series = make_trial(batch), .wall_s = 8.0});
    }
  }
  std::vector<RateVerdict> verdicts = verdicts_in(stored, study);
  REQUIRE(verdicts.size() == cells.size());
  return verdicts;
}

// What a launch stored: a step time, made of a number in the unit of its rule, and samples/s.
struct Launch {
  double time_s = 0.0;
  double rate = 0.0;
};

// The verdict on a cell of batch 8 whose launches printed one number of each.
RateVerdict verdict_on(const std::string& unit,
                       const std::string& per_step,
                       const std::vector<Launch>& launches) {
  Study study = study_of_rates();
  study.extract[0].unit = unit;
  study.extract[0].per_step = per_step;
  const CellRow cell = test::make_cell(1, 1, 8);
  test::StoredStudy stored(Scaling::kStrong, {cell}, std::ssize(launches));
  std::int64_t block = 0;
  for (const Launch& launch : launches) {
    stored.finish({.cell = cell.hash,
                   .block = block++,
                   .series = {test::step_times({launch.time_s}, 0),
                              {"samples_per_s", "samples/s", std::nullopt, 0, {launch.rate}}}});
  }
  const std::vector<RateVerdict> verdicts = verdicts_in(stored, study);
  REQUIRE(verdicts.size() == 1);
  return verdicts.front();
}

std::vector<RateVerdict> verdicts_on(Printed printed,
                                     const Noise& noise,
                                     double factor,
                                     std::uint64_t seed) {
  test::Random random(seed);
  return verdicts_on([&](double batch) { return trial_of(printed, noise, batch, factor, random); });
}

double share_of(RateVerdict verdict, const std::vector<RateVerdict>& verdicts) {
  return static_cast<double>(std::ranges::count(verdicts, verdict)) /
         static_cast<double>(verdicts.size());
}

// The share of 50 cells whose rate does not follow.
double share_refused(Printed printed, const Noise& noise, double factor, std::uint64_t seed) {
  return 1.0 - share_of(RateVerdict::kFollows, verdicts_on(printed, noise, factor, seed));
}

}  // namespace

TEST_CASE("a true rate is called false in fewer than 2 of 100 cells", "[analysis]") {
  for (const Printed printed : {Printed::kEachStep, Printed::kEveryTenth, Printed::kOnce}) {
    for (const Noise& noise : {Noise{0.001, 0.0, 0.0},
                               Noise{0.03, 0.0, 0.0},
                               Noise{0.1, 0.9, 0.0},
                               Noise{0.03, 0.0, 0.02},
                               Noise{0.3, 0.0, 0.0}}) {
      CAPTURE(static_cast<int>(printed), noise.sd, noise.correlation, noise.slow_share);
      const double share = share_refused(printed, noise, 1.0, 20260503);
      CHECK(share < 0.02);  // 0 of 9000 when simulated in Python
    }
  }
}

TEST_CASE("a rate that is off by a tenth is called false", "[analysis]") {
  CHECK(share_refused(Printed::kEachStep, {0.03, 0.0, 0.0}, 1.1, 20260504) > 0.95);
  CHECK(share_refused(Printed::kEveryTenth, {0.03, 0.0, 0.0}, 1.1, 20260505) > 0.95);
  // One rate a run may be of more than what was measured, so that only a higher one is false.
  CHECK(share_refused(Printed::kOnce, {0.03, 0.0, 0.0}, 1.1, 20260506) > 0.95);
}

TEST_CASE("powers of 1024 are found at any noise of rates that are printed with their steps",
          "[analysis]") {
  for (const Noise& noise : {Noise{0.03, 0.0, 0.0}, Noise{0.1, 0.9, 0.0}, Noise{0.03, 0.0, 0.02}}) {
    CAPTURE(noise.sd, noise.correlation, noise.slow_share);
    for (const double factor : {1.0 / 1.024, 1.024}) {
      CHECK(share_of(RateVerdict::kCountsX1024,
                     verdicts_on(Printed::kEachStep, noise, factor, 20260509)) == 1.0);
    }
    // Off by 1.2 %, which is no power of 1.024.
    CHECK(share_of(RateVerdict::kCountsX1024,
                   verdicts_on(Printed::kEachStep, noise, 1.012, 20260510)) == 0.0);
  }
}

// Three step times in turn and the rates of the same three in another order: rate times time is the
// batch in every third line alone, times 1.024 as the rate of all of them is.
TEST_CASE("rates of other steps than the times are not read together with them", "[analysis]") {
  const auto verdicts = verdicts_on([](double batch) {
    SeriesRow rates{"samples_per_s", "samples/s", std::nullopt, 0, {}};
    std::vector<double> times_s;
    for (int i = 0; i < 33; ++i) {
      times_s.insert(times_s.end(), {0.0481, 0.0501, 0.0521});
      for (const double time_s : {0.0521, 0.0501, 0.0481}) {
        rates.values.push_back(rounded(1.024 * batch / time_s, 0.1));
      }
    }
    return std::vector<SeriesRow>{test::step_times(std::move(times_s), 0), std::move(rates)};
  });

  // The times spread by 6 %, so that apart from each other the two agree within 3 %.
  CHECK(share_of(RateVerdict::kFollows, verdicts) == 1.0);
}

TEST_CASE("a rate of 0 or below is called false, not left out", "[analysis]") {
  CHECK(share_refused(Printed::kEachStep, {0.03, 0.0, 0.0}, 0.0, 20260507) == 1.0);
  CHECK(share_refused(Printed::kEachStep, {0.03, 0.0, 0.0}, -1.0, 20260508) == 1.0);
}

TEST_CASE("a rate follows within the rounding of the number that the step time is made of",
          "[analysis]") {
  // The lines of a Hugging Face Trainer: train_steps_per_second and train_samples_per_second.
  CHECK(verdict_on("steps/s",
                   "",
                   {{1.0 / 0.831, 6.651},
                    {1.0 / 0.841, 6.731},
                    {1.0 / 0.838, 6.703},
                    {1.0 / 0.839, 6.709},
                    {1.0 / 0.836, 6.691}}) == RateVerdict::kFollows);
  // Other trials show how many decimals 2.00 steps/s and 1000 ms have.
  CHECK(verdict_on("steps/s", "", {{1.0 / 1.99, 17.5}, {1.0 / 2.01, 17.7}, {1.0 / 2.0, 17.6}}) ==
        RateVerdict::kDoesNotFollow);
  CHECK(verdict_on("ms", "", {{1.0, 9.2}, {1.003, 9.17}, {0.998, 9.22}}) ==
        RateVerdict::kDoesNotFollow);
  const auto follows = [](const std::string& unit, const std::string& per_step, Launch launch) {
    return verdict_on(unit, per_step, {launch}) == RateVerdict::kFollows;
  };
  // 0.0135 to 0.0145 steps/s are 0.108 to 0.116 samples/s.
  CHECK_FALSE(follows("steps/s", "", {1.0 / 0.014, 0.10799}));
  CHECK(follows("steps/s", "", {1.0 / 0.014, 0.10801}));
  CHECK(follows("steps/s", "", {1.0 / 0.014, 0.1159}));
  CHECK_FALSE(follows("steps/s", "", {1.0 / 0.014, 0.1165}));
  // 32.5 to 33.5 tokens/s, 40 a step, are 6.5 to 6.7 samples/s.
  CHECK(follows("tokens/s", "{batch_global} * 5", {40.0 / 33.0, 6.68}));
  CHECK_FALSE(follows("tokens/s", "{batch_global} * 5", {40.0 / 33.0, 6.71}));
  // 41.15 to 41.25 s for 50000 samples are 1212.1 to 1215.1 samples/s.
  CHECK(follows("s/epoch", "{batch_global} / 50000", {41.2 * 8.0 / 50000.0, 1212.7}));
  CHECK_FALSE(follows("s/epoch", "{batch_global} / 50000", {41.2 * 8.0 / 50000.0, 1215.2}));
}
