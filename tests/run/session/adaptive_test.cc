#include "harness/run/session/adaptive.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// Stops a cell at that many trials.
PrecisionRule stop_at(std::size_t count) {
  return [count](const std::vector<TrialMean>& means) {
    Precision precision{.relative_half_width = 0.01, .stop_at = {}};
    if (means.size() >= count) {
      precision.stop_at = static_cast<std::int64_t>(count);
    }
    return precision;
  };
}

BlockMeans blocks(std::int64_t count) {
  BlockMeans means;
  for (std::int64_t block = 0; block < count; ++block) {
    means[block] = {.session = 1, .step_time_s = 1.0 + 0.1 * static_cast<double>(block)};
  }
  return means;
}

}  // namespace

TEST_CASE("a study runs on until the rule has stopped every cell", "[run]") {
  CHECK(last_needed_block({blocks(6), blocks(6)}, 6, stop_at(5)) == 4);
  CHECK_FALSE(last_needed_block({blocks(6), blocks(3)}, 6, stop_at(4)).has_value());
}

TEST_CASE("the cell that needs most trials decides when all stop", "[run]") {
  // The first cell's means stay below 2, and it needs 3 trials; the second needs 5.
  const PrecisionRule by_level = [](const std::vector<TrialMean>& means) {
    return stop_at(means.front().step_time_s < 2.0 ? 3 : 5)(means);
  };
  BlockMeans slow;
  for (const auto& [block, mean] : blocks(6)) {
    slow[block].step_time_s = 10.0 * mean.step_time_s;
  }

  CHECK(last_needed_block({blocks(6), slow}, 6, by_level) == 4);
  CHECK(last_needed_block({slow, blocks(6)}, 6, by_level) == 4);
}

TEST_CASE("a cell without an ok trial holds up no other", "[run]") {
  CHECK(last_needed_block({blocks(9), {}}, 9, stop_at(3)) == 2);
  CHECK_FALSE(last_needed_block({{}, {}}, 9, stop_at(3)).has_value());
}

TEST_CASE("a block that is not complete is not looked at", "[run]") {
  CHECK_FALSE(last_needed_block({blocks(5)}, 4, stop_at(5)).has_value());
}

TEST_CASE("a failed trial leaves a gap that does not count", "[run]") {
  BlockMeans means = blocks(5);
  means.erase(1);

  std::vector<double> times_s;
  for (const TrialMean& mean : mean_values(means)) {
    times_s.push_back(mean.step_time_s);
  }
  CHECK(times_s == std::vector<double>{1.0, 1.2, 1.3, 1.4});
  CHECK(last_needed_block({means}, 5, stop_at(3)) == 3);
}
