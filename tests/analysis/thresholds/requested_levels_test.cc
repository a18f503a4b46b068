// Where a metric that a study asks for crosses a level.
#include <cstdint>
#include <vector>

#include "harness/analysis/thresholds/thresholds.h"
#include "tests/analysis/memory_metric.h"

using namespace scalestudy;
using test::make_cell;
using test::make_observation;
using test::study_of_memory;
using test::with_memory;

namespace {

// That of the memory of 2 devices over one's, at batches 64, 128, 256 and 512; trials of 1 %.
ThresholdRow threshold_along_batch(const std::vector<double>& ratios, bool is_higher_better) {
  Study study = study_of_memory(is_higher_better);
  study.analysis.thresholds = {{.metric = "memory", .level = 1.0, .along = "batch_global"}};
  std::vector<CellObservation> all;
  std::int64_t id = 0;
  std::int64_t batch = 64;
  for (const double ratio : ratios) {
    all.push_back(with_memory(make_cell(++id, 1, batch), {1.0, 1.01, 0.99, 1.0, 1.01, 0.99}));
    all.push_back(
        with_memory(make_cell(++id, 2, batch),
                    {ratio, 1.02 * ratio, 0.99 * ratio, 1.01 * ratio, 1.0 * ratio, 0.98 * ratio}));
    batch *= 2;
  }
  return find_thresholds(make_observation(all, Scaling::kStrong), study).at(0);
}

}  // namespace

TEST_CASE("a requested metric crosses a level along an axis, over the base's", "[analysis]") {
  const ThresholdRow row = threshold_along_batch({0.5, 0.7, 1.4, 2.0}, true);

  CHECK(row.metric == "memory");
  CHECK(row.status == RowStatus::kCrossed);
  CHECK(row.bracket_lo == 128.0);
  CHECK(row.bracket_hi == 256.0);
  CHECK_THAT(row.finding,
             Catch::Contains("memory over the base's reaches 1x between") &&
                 !Catch::Contains("break-even"));
}

TEST_CASE("a ratio that no trial varies in crosses a level", "[analysis]") {
  const auto crossing = [](double level, const std::vector<double>& noise) {
    Study study = study_of_memory(false);
    study.analysis.thresholds = {{.metric = "memory", .level = level, .along = "batch_global"}};
    std::vector<CellObservation> all;
    std::int64_t id = 0;
    std::int64_t batch = 16;
    for (const double ratio : {0.9, 0.85, 0.75, 0.625, 0.55}) {
      std::vector<double> values(6, ratio);
      for (std::size_t i = 0; ratio == 0.75 && i < noise.size(); ++i) {
        values[i] *= noise[i];
      }
      all.push_back(with_memory(make_cell(++id, 1, batch), std::vector<double>(6, 1.0)));
      all.push_back(with_memory(make_cell(++id, 2, batch), values));
      batch *= 2;
    }
    return find_thresholds(make_observation(all, Scaling::kStrong), study).at(0);
  };

  const ThresholdRow row = crossing(0.7, {});
  CHECK(row.status == RowStatus::kCrossedDown);
  CHECK(row.bracket_lo == 64.0);
  CHECK(row.bracket_hi == 128.0);
  CHECK(row.tested_values == 5);
  CHECK(row.family_size == 0);
  // Straight in ln x between ln 0.75 and ln 0.625: 64 * 2^(ln(0.75/0.7) / ln(0.75/0.625)).
  CHECK(*row.estimate == Approx(64.0 * std::pow(2.0, std::log(0.75 / 0.7) / std::log(1.2))));
  CHECK(*row.lo < *row.estimate);
  CHECK(*row.hi > *row.estimate);
  CHECK_THAT(row.finding, !Catch::Contains("left out"));
  CHECK(crossing(0.5, {}).status == RowStatus::kAlways);
  // Only the value that varies is tested.
  const ThresholdRow one = crossing(0.7, {1.0, 1.01, 0.99, 1.0, 1.01, 0.99});
  CHECK(one.status == RowStatus::kCrossedDown);
  CHECK(one.family_size == 1);
  CHECK(one.alpha_star == Approx(0.05));
}

TEST_CASE("a ratio that is the level in every trial is not open, and places no crossing",
          "[analysis]") {
  const auto along_batch = [](double level, const std::vector<std::pair<double, double>>& ratios) {
    Study study = study_of_memory(false);
    study.analysis.thresholds = {{.metric = "memory", .level = level, .along = "batch_global"}};
    std::vector<CellObservation> all;
    std::int64_t id = 0;
    std::int64_t batch = 16;
    for (const auto& [base, cell] : ratios) {
      all.push_back(with_memory(make_cell(++id, 1, batch), std::vector<double>(6, base)));
      all.push_back(with_memory(make_cell(++id, 2, batch), std::vector<double>(6, cell)));
      batch *= 2;
    }
    return find_thresholds(make_observation(all, Scaling::kStrong), study).at(0);
  };

  const ThresholdRow equal = along_batch(1.0, {{1, 1}, {1, 1}, {1, 1}, {1, 0.8}, {1, 0.6}});
  CHECK(equal.status == RowStatus::kUnresolved);
  CHECK(equal.open_values.empty());
  CHECK(equal.pieces.empty());
  CHECK_THAT(equal.finding,
             Catch::Contains("not certain at: none") &&
                 Catch::EndsWith("; memory over the base's is exactly 1x at 16, 32 and 64"));
  const ThresholdRow level = along_batch(1.0, {{1, 1}, {1, 1}, {1, 1}});
  CHECK(level.status == RowStatus::kAllTied);
  CHECK(level.finding ==
        "2 devices: memory over the base's is exactly 1x at all 3 tested values of global batch");
  // 0.09 / 0.1 is 0.9 up to rounding, for the break-even as for a target.
  const ThresholdRow rounded =
      along_batch(0.9, {{1, 1.2}, {1, 1.1}, {0.1, 0.09}, {1, 0.8}, {1, 0.6}});
  CHECK(rounded.status == RowStatus::kCrossedDown);
  CHECK(rounded.bracket_lo == 32.0);
  CHECK(rounded.bracket_hi == 128.0);
  CHECK(rounded.open_values.empty());
  CHECK_FALSE(rounded.estimate);
  CHECK_THAT(rounded.finding, Catch::EndsWith("; memory over the base's is exactly 0.9x at 64"));
}

TEST_CASE("where lower is better the break-even is where the metric falls below", "[analysis]") {
  const ThresholdRow falls = threshold_along_batch({1.4, 1.2, 0.9, 0.7}, false);
  CHECK(falls.status == RowStatus::kCrossedDown);
  CHECK(falls.bracket_lo == 128.0);
  CHECK(falls.bracket_hi == 256.0);
  CHECK_THAT(falls.finding,
             Catch::Contains("memory over the base's falls below 1x between") &&
                 !Catch::Contains("break-even"));
  CHECK_THAT(threshold_along_batch({0.5, 0.7, 1.4, 2.0}, false).finding,
             Catch::EndsWith("it rises as global batch grows and lower is better, so this is no "
                             "break-even"));

  // Above at 64, open from there on: it crosses above 64, if anywhere.
  const ThresholdRow open = threshold_along_batch({1.4, 1.0, 1.0, 1.0}, false);
  CHECK(open.status == RowStatus::kUnresolved);
  CHECK(open.bracket_lo == 64.0);
  CHECK_FALSE(open.bracket_hi.has_value());
}

TEST_CASE("where lower is better a metric above the level everywhere has not reached it",
          "[analysis]") {
  const ThresholdRow above = threshold_along_batch({2.0, 1.8, 1.5, 1.3}, false);
  CHECK(above.status == RowStatus::kAlways);
  CHECK(above.bracket_lo == 512.0);
  CHECK_FALSE(above.bracket_hi.has_value());
  CHECK_THAT(above.finding,
             Catch::Contains("is not reached up to global batch 512 (all 4 tested "
                             "values above it"));
  const ThresholdRow below = threshold_along_batch({0.9, 0.8, 0.7, 0.5}, false);
  CHECK(below.status == RowStatus::kNotReached);
  CHECK_FALSE(below.bracket_lo.has_value());
  CHECK(below.bracket_hi == 64.0);
  CHECK_THAT(below.finding,
             Catch::Contains("is reached at or below the smallest tested value, global batch 64 "
                             "(all 4 tested values below it"));
}

TEST_CASE("where lower is better an open curve along devices has no bracket", "[analysis]") {
  Study study = study_of_memory(false);
  study.analysis.thresholds = {{.metric = "memory", .level = 1.0, .along = "devices"}};
  const ThresholdRow row =
      find_thresholds(
          make_observation({with_memory(make_cell(1, 1, 64), {1.0, 1.01, 0.99, 1.0, 1.01, 0.99}),
                            with_memory(make_cell(2, 2, 64), {1.4, 1.43, 1.39, 1.41, 1.4, 1.37}),
                            with_memory(make_cell(3, 4, 64), {1.0, 1.02, 0.99, 1.01, 1.0, 0.98})},
                           Scaling::kStrong),
          study)
          .at(0);

  CHECK(row.status == RowStatus::kUnresolved);
  CHECK(row.open_values == std::vector<double>{4.0});
  CHECK_FALSE(row.bracket_lo.has_value());
  CHECK_FALSE(row.bracket_hi.has_value());
}
