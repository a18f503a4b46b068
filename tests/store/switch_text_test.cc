// Where the faster of two settings changes, in words.
#include "harness/store/switch_text.h"

#include <string>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

ThresholdRow switched(RowStatus status) {
  ThresholdRow row;
  row.metric = "speedup";
  row.along = "batch_global";
  row.status = status;
  row.tested_values = 4;
  row.bracket_lo = 32.0;
  row.bracket_hi = 64.0;
  return row;
}

std::string words(const ThresholdRow& row, bool is_lower_better = false) {
  return switch_text(row, {.base = "flat", .other = "ring", .is_lower_better = is_lower_better});
}

}  // namespace

TEST_CASE("of two settings the one that is faster on each side of a switch is told", "[store]") {
  ThresholdRow row = switched(RowStatus::kCrossed);
  CHECK(words(row) == "flat is faster up to global batch 32, ring from global batch 64 on");
  CHECK(words(row, true) == "ring is faster up to global batch 32, flat from global batch 64 on");
  row.status = RowStatus::kCrossedDown;
  CHECK(words(row) == "ring is faster up to global batch 32, flat from global batch 64 on");
  row.open_values = {32.0};
  CHECK(words(row) ==
        "ring is faster up to global batch 32, flat from global batch 64 on; at 32 the gain is not "
        "certain");
  row.open_values.clear();
  row.along = "devices";
  row.bracket_lo = 1.0;
  row.bracket_hi = 2.0;
  CHECK(words(row) == "ring is faster up to 1 device, flat from 2 devices on");
}

TEST_CASE("a switch between tested values is a point with an interval", "[store]") {
  ThresholdRow row = switched(RowStatus::kCrossed);
  row.estimate = 58.1;
  row.lo = 49.8;
  row.hi = 63.5;
  row.pieces = {49.8, 63.5};
  CHECK(words(row) ==
        "flat is faster up to the switch point and ring beyond it; it lies between global batch 32 "
        "and 64, best estimate 58.1 [49.8, 63.5]");
}

TEST_CASE("settings without a switch are told by what is certain of them", "[store]") {
  CHECK(words(switched(RowStatus::kAlways)) ==
        "ring is faster than flat at all 4 tested values of global batch");
  CHECK(words(switched(RowStatus::kAlways), true) ==
        "flat is faster than ring at all 4 tested values of global batch");
  CHECK(words(switched(RowStatus::kNotReached)) ==
        "flat is faster than ring at all 4 tested values of global batch");
  CHECK(words(switched(RowStatus::kAllTied)) ==
        "flat and ring are exactly equal at all 4 tested values of global batch");
  CHECK(words(switched(RowStatus::kMultiple)) ==
        "which of flat and ring is faster changes more than once along global batch");
  ThresholdRow row = switched(RowStatus::kMultiple);
  row.bracket_lo = row.bracket_hi = std::nullopt;
  row.pieces = {16.6, 25.3, 82.9, 118.1};
  row.open_values = {16.0};
  CHECK(words(row) ==
        "which of flat and ring is faster changes more than once, between global batch 16.6 and "
        "25.3, and between 82.9 and 118; at 16 the gain is not certain");

  row = switched(RowStatus::kUnresolved);
  row.open_values = {64.0};
  CHECK(words(row) ==
        "flat and ring may change places between global batch 32 and 64; at 64 the gain is not "
        "certain");
  row.open_values = {16.0, 32.0, 64.0, 128.0};
  CHECK(words(row) ==
        "flat and ring do not differ with certainty at all 4 tested values of global batch");
}
