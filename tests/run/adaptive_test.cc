#include "harness/run/adaptive.h"

#include "tests/support/catch.h"

namespace scalestudy {
namespace {

Trials adaptive(int min) {
  Trials trials;
  trials.count = 50;
  trials.min = min;
  trials.until = 0.02;
  return trials;
}

// Enough once there are at least `count` means.
PrecisionRule enough_from(std::size_t count) {
  return [count](std::span<const double> means) {
    return Precision{.relative_half_width = 0.01, .enough = means.size() >= count};
  };
}

BlockMeans blocks(std::int64_t count) {
  BlockMeans means;
  for (std::int64_t block = 0; block < count; ++block) {
    means[block] = 1.0 + 0.1 * static_cast<double>(block);
  }
  return means;
}

}  // namespace

TEST_CASE("a study runs two blocks more after every cell is known well enough", "[run]") {
  CHECK(last_needed_block({blocks(6), blocks(6)}, 6, adaptive(2), enough_from(5)) == 6);
}

TEST_CASE("nothing is decided before the minimum, nor while one cell is too wide", "[run]") {
  CHECK(last_needed_block({blocks(6)}, 6, adaptive(4), enough_from(1)) == 5);
  CHECK_FALSE(last_needed_block({blocks(3)}, 3, adaptive(4), enough_from(1)).has_value());
  CHECK_FALSE(
      last_needed_block({blocks(6), blocks(3)}, 6, adaptive(2), enough_from(4)).has_value());
}

TEST_CASE("a cell without an ok trial keeps the study going", "[run]") {
  CHECK_FALSE(last_needed_block({blocks(9), {}}, 9, adaptive(2), enough_from(2)).has_value());
}

TEST_CASE("a block that is not complete is not looked at", "[run]") {
  CHECK_FALSE(last_needed_block({blocks(5)}, 4, adaptive(2), enough_from(5)).has_value());
}

TEST_CASE("the decision stands though later trials widen the interval", "[run]") {
  // Enough with exactly 3 means only: a rule that looked at the latest data alone would go on.
  const PrecisionRule exactly_three = [](std::span<const double> means) {
    return Precision{.relative_half_width = 0.01, .enough = means.size() == 3};
  };

  CHECK(last_needed_block({blocks(9)}, 9, adaptive(2), exactly_three) == 4);
}

TEST_CASE("a failed trial leaves a gap that does not count", "[run]") {
  BlockMeans means = blocks(5);
  means.erase(1);

  CHECK(means_until(means, 2) == std::vector<double>{1.0, 1.2});
  CHECK(last_needed_block({means}, 5, adaptive(2), enough_from(3)) == 5);
}

}  // namespace scalestudy
