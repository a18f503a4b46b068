// Where a crossing may lie, in one wording for every place that says it.
#include "harness/store/crossing_text.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

ThresholdRow crossed() {
  ThresholdRow row;
  row.metric = "speedup";
  row.along = "batch_global";
  row.status = RowStatus::kCrossed;
  row.bracket_lo = 32.0;
  row.bracket_hi = 256.0;
  row.estimate = 58.1;
  row.lo = 49.8;
  row.hi = 170.2;
  return row;
}

}  // namespace

TEST_CASE("a set within two certain values is an interval in its bracket", "[store]") {
  ThresholdRow row = crossed();
  row.bracket_hi = 64.0;
  row.hi = 63.5;
  row.pieces = {49.8, 63.5};
  row.open_values = {16.0};  // elsewhere
  CHECK(
      crossing_text(row, "samples") ==
      "between global batch 32 and 64, best estimate 58.1 samples [49.8, 63.5]; at 16 the gain is "
      "not certain");
}

// The hull [49.8, 170] would say that 64.5 is possible, and more than the bracket of two such sets.
TEST_CASE("every piece of a set is told, and what is not certain", "[store]") {
  ThresholdRow row = crossed();
  row.pieces = {49.8, 63.5, 65.3, 170.2};
  row.open_values = {64.0, 128.0};
  CHECK(
      crossing_text(row) ==
      "between global batch 49.8 and 63.5, or between 65.3 and 170; best estimate 58.1; at 64 and "
      "128 the gain is not certain");

  row.pieces = {49.8, 63.5, 65.3, 256.0};
  row.censored_hi = true;
  CHECK(crossing_text(row) ==
        "between global batch 49.8 and 63.5, or above 65.3; best estimate 58.1; at 64 and 128 the "
        "gain is not certain");
  row.pieces = {16.0, 63.5};
  row.censored_lo = true;
  row.censored_hi = false;
  CHECK(crossing_text(row) ==
        "below global batch 63.5; best estimate 58.1; at 64 and 128 the gain is not certain");
}

TEST_CASE("a set that leaves its bracket is told by its own ends", "[store]") {
  ThresholdRow row = crossed();
  row.bracket_hi = 64.0;
  row.pieces = {49.8, 70.1};
  CHECK(crossing_text(row) == "between global batch 49.8 and 70.1; best estimate 58.1");
}

TEST_CASE("without a set the bracket says where, and nothing is called likely", "[store]") {
  ThresholdRow row = crossed();
  row.estimate.reset();
  row.lo.reset();
  row.hi.reset();
  CHECK(crossing_text(row) == "between global batch 32 and 256");
  row.metric = "efficiency";
  row.level = 0.8;
  row.open_values = {64.0};
  CHECK(crossing_text(row) ==
        "between global batch 32 and 256; at 64 the difference is not certain");
  row.open_values.clear();
  row.bracket_lo.reset();
  CHECK(crossing_text(row) == "at or below global batch 256");
  CHECK(bracket_text(row) == "at or below 256");
  row.along = "message_bytes";
  row.bracket_lo = 65536.0;
  row.bracket_hi.reset();
  CHECK(crossing_text(row) == "above message size 64 KiB");
}
