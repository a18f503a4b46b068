// What is said of a threshold.
#include "harness/analysis/thresholds/threshold_finding.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

ThresholdRow make_row(RowStatus status) {
  ThresholdRow row;
  row.metric = "speedup";
  row.along = "batch_global";
  row.group_label = "devices=2";
  row.status = status;
  row.tested_values = 2;
  return row;
}

ThresholdRow crossed(double from, double to) {
  ThresholdRow row = make_row(RowStatus::kCrossed);
  row.bracket_lo = from;
  row.bracket_hi = to;
  return row;
}

ThresholdFacts tested(const std::vector<TestedValue>& values) {
  ThresholdFacts facts;
  facts.tested = values;
  facts.unit = "samples";
  return facts;
}

const ThresholdFacts kTwo = tested({{32.0, 0.9, 0.8, 1.0, 0}, {64.0, 1.1, 1.0, 1.2, 0}});

ThresholdRow of_devices(RowStatus status) {
  ThresholdRow row = make_row(status);
  row.metric = "efficiency";
  row.level = 0.8;
  row.along = "devices";
  row.group_label = "batch_global=64";
  return row;
}

ThresholdFacts counts() {
  ThresholdFacts facts = tested({{2.0, 0.9, 0.85, 0.95, 1}, {8.0, 0.9, 0.7, 1.0, 0}});
  facts.is_count = true;
  return facts;
}

}  // namespace

TEST_CASE("a crossing is bracketed, and interpolated among enough values", "[analysis]") {
  ThresholdRow row = crossed(64.0, 128.0);
  row.estimate = 80.0;
  row.lo = 70.0;
  row.hi = 90.0;
  ThresholdFacts facts = kTwo;
  facts.is_ladder = true;
  facts.is_interpolated = true;
  row.pieces = {70.0, 90.0};

  CHECK(describe_threshold(row, facts) ==
        "2 devices: speedup reaches 1x between global batch 64 and 128, best estimate 80 samples "
        "[70, 90]");
}

TEST_CASE("why nothing is interpolated stands beside the bracket", "[analysis]") {
  ThresholdFacts facts = kTwo;
  CHECK(describe_threshold(crossed(64.0, 128.0), facts) ==
        "2 devices: speedup reaches 1x between global batch 64 and 128; "
        "nothing is interpolated, for that takes 5 tested values or more, each at most twice "
        "the one before");

  facts.is_ladder = true;
  CHECK(describe_threshold(crossed(128.0, 256.0), facts) ==
        "2 devices: speedup reaches 1x between global batch 128 and 256; "
        "nothing is interpolated at the end of what was tested, for that takes a further value "
        "beyond it");
}

TEST_CASE("a level that is met everywhere, or nowhere, is told with the range", "[analysis]") {
  CHECK(
      describe_threshold(make_row(RowStatus::kAlways), kTwo) ==
      "2 devices: speedup of 1x is reached at or below the smallest tested value, global batch 32 "
      "(both tested values above it, resolved at 95 %)");
  CHECK(describe_threshold(make_row(RowStatus::kNotReached), kTwo) ==
        "2 devices: speedup of 1x is not reached up to global batch 64 (both tested values below "
        "it, resolved at 95 %)");
}

TEST_CASE("an open crossing says where it can be", "[analysis]") {
  CHECK(describe_threshold(make_row(RowStatus::kUnresolved), kTwo) ==
        "2 devices: speedup of 1x is not resolved along global batch (at 95 % above at: none; "
        "below at: none; not certain at: 32, 64)");

  ThresholdRow row = make_row(RowStatus::kUnresolved);
  row.censored_lo = row.censored_hi = true;
  row.pieces = {32.0, 64.0};
  row.open_values = {32.0, 64.0};
  CHECK(describe_threshold(row, kTwo) ==
        "2 devices: speedup of 1x is not resolved along global batch: it may be crossed at any "
        "value of global batch; at 32 and 64 the gain is not certain");
}

TEST_CASE("several crossings without a set are told by the certain values around each",
          "[analysis]") {
  const ThresholdFacts facts = tested({{16.0, 0.8, 0.7, 0.9, -1},
                                       {32.0, 1.0, 0.9, 1.1, 0},
                                       {64.0, 1.2, 1.1, 1.3, 1},
                                       {128.0, 0.8, 0.7, 0.9, -1}});
  const std::string signs = " (at 95 % above at: 64; below at: 16, 128; not certain at: 32)";
  ThresholdRow row = make_row(RowStatus::kMultiple);
  CHECK(describe_threshold(row, facts) ==
        "2 devices: speedup of 1x is crossed more than once along global batch: between 16 and 64, "
        "and between 64 and 128" +
            signs);

  ThresholdFacts counted = facts;
  counted.is_count = true;
  CHECK(describe_threshold(of_devices(RowStatus::kMultiple), counted) ==
        "batch 64: efficiency of at least 80 % along devices is crossed more than once: between 16 "
        "and 64, and between 64 and 128" +
            signs);

  ThresholdFacts of_settings = facts;
  of_settings.between = TwoSettings{.base = "flat", .other = "ring"};
  CHECK(describe_threshold(row, of_settings) ==
        "2 devices: which of flat and ring is faster changes more than once along global batch: "
        "between 16 and 64, and between 64 and 128");

  ThresholdFacts measured = facts;  // an interval of such a time reaches beyond the value
  measured.is_measured = true;
  row.along = "computation_time_s";
  CHECK_THAT(describe_threshold(row, measured),
             Catch::Contains("is crossed more than once along computation time (at 95 % above"));
}

TEST_CASE("a ratio that falls has no break-even", "[analysis]") {
  ThresholdRow row = crossed(32.0, 64.0);
  row.status = RowStatus::kCrossedDown;

  CHECK_THAT(describe_threshold(row, kTwo),
             Catch::EndsWith(": it falls as global batch grows, so this is no break-even"));
}

TEST_CASE("too few values are told, with what is left out", "[analysis]") {
  ThresholdFacts one = tested({{32.0, 1.5, 1.4, 1.6, 1}});
  one.left_out = 1;
  CHECK(describe_threshold(make_row(RowStatus::kInsufficientData), one) ==
        "2 devices: speedup of 1x cannot be placed along global batch: the only tested value with "
        "a usable speedup is 32, where it is 1.50x [1.40, 1.60] (1 cell without a usable speedup "
        "left out)");
  CHECK(describe_threshold(make_row(RowStatus::kInsufficientData), {}) ==
        "2 devices: speedup of 1x cannot be placed along global batch: no tested value has a "
        "usable speedup");
}

TEST_CASE("of devices the largest tested number is told", "[analysis]") {
  ThresholdRow row = of_devices(RowStatus::kCrossedDown);
  row.bracket_lo = 4.0;
  row.bracket_hi = 8.0;
  CHECK(describe_threshold(row, counts()) ==
        "batch 64: largest tested number of devices with efficiency of at least 80 % (resolved at "
        "95 %): 4; 8 is below");
  CHECK(describe_threshold(of_devices(RowStatus::kUnresolved), counts()) ==
        "batch 64: efficiency of at least 80 % along devices is not resolved (at 95 % above at: 2; "
        "below at: none; not certain at: 8)");
}

TEST_CASE("of a metric that is to be low the numbers of devices at most at the level are told",
          "[analysis]") {
  ThresholdRow row = of_devices(RowStatus::kCrossedDown);
  row.metric = "step_time_s";
  row.level = 0.025;
  row.bracket_lo = 1.0;
  row.bracket_hi = 2.0;
  ThresholdFacts facts = counts();
  facts.is_lower_better = true;
  facts.metric_unit = "s";
  CHECK(describe_threshold(row, facts) ==
        "batch 64: smallest tested number of devices with step time of at most 25 ms (resolved at "
        "95 %): 2; 1 is above");
  row.status = RowStatus::kNotReached;
  CHECK(describe_threshold(row, facts) ==
        "batch 64: step time of at most 25 ms at both compared values of devices, 2 to 8 "
        "(resolved at 95 %)");
  row.status = RowStatus::kAlways;
  CHECK(describe_threshold(row, facts) ==
        "batch 64: step time is above 25 ms at both compared values of devices, 2 to 8 (resolved "
        "at 95 %)");
}

TEST_CASE("of devices on one side of a level only those are told that were compared",
          "[analysis]") {
  CHECK(describe_threshold(of_devices(RowStatus::kNotReached), counts()) ==
        "batch 64: efficiency is below 80 % at both compared values of devices, 2 to 8 (resolved "
        "at 95 %)");
  ThresholdRow row = of_devices(RowStatus::kAlways);
  row.tested_values = 1;
  ThresholdFacts one = counts();
  one.tested.pop_back();
  CHECK(describe_threshold(row, one) ==
        "batch 64: efficiency of at least 80 % at the one compared value of devices, 2 (resolved "
        "at 95 %)");
}

TEST_CASE("the end of an open bracket along a measured time is told with the time itself",
          "[analysis]") {
  ThresholdRow row = make_row(RowStatus::kNotReached);
  row.along = "computation_time_s";
  row.bracket_lo = 0.399;  // as the table has it
  ThresholdFacts facts = tested({{0.2, 0.4, 0.3, 0.5, -1}, {0.525, 0.9, 0.8, 0.95, -1}});
  facts.is_measured = true;
  CHECK_THAT(describe_threshold(row, facts),
             Catch::Contains("is not reached up to computation time 399 ms, an end of the interval "
                             "of 525 ms (both"));

  row.status = RowStatus::kAlways;
  row.bracket_lo.reset();
  row.bracket_hi = 0.241;
  CHECK_THAT(describe_threshold(row, facts),
             Catch::Contains("smallest tested value, computation time 241 ms, an end of the "
                             "interval of 200 ms (both"));
}

TEST_CASE("a threshold along links names them as cells do", "[analysis]") {
  ThresholdRow row = crossed(100.0, 1000.0);
  row.along = "interconnect.bandwidth";
  row.group_label = "batch_global=64 devices=2";
  CHECK_THAT(describe_threshold(row, kTwo),
             Catch::StartsWith("2 devices, batch 64: speedup reaches 1x between bandwidth of links "
                               "100 Mbit/s and 1 Gbit/s; nothing"));
}
