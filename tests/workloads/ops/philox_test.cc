#include "workloads/ops/philox.h"

#include "tests/support/catch.h"

using namespace scalestudy::ops;

namespace {

bool is_equal(const PhiloxBlock& a, const PhiloxBlock& b) {
  return a.word[0] == b.word[0] && a.word[1] == b.word[1] && a.word[2] == b.word[2] &&
         a.word[3] == b.word[3];
}

}  // namespace

// Expected words: Random123, tests/kat_vectors, lines "philox4x32 10" (counter, key, result).
TEST_CASE("philox gives the known answers of Random123", "[ops]") {
  CHECK(is_equal(philox4x32_10({{0, 0, 0, 0}}, {{0, 0}}),
                 {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
  CHECK(is_equal(
      philox4x32_10({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, {{0xffffffff, 0xffffffff}}),
      {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
  CHECK(is_equal(
      philox4x32_10({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}}),
      {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));
}

TEST_CASE("uniform numbers are symmetric about zero and inside one", "[ops]") {
  CHECK(symmetric_uniform(0) == -symmetric_uniform(0xffffffff));
  CHECK(symmetric_uniform(0) > -1.0);
  CHECK(symmetric_uniform(0x80000000) == 0x1p-32);  // half a step above zero
}

TEST_CASE("no two purposes share a block of numbers", "[ops]") {
  const PhiloxBlock dropout = philox_counter(1, 2, 3, Purpose::kDropout, 4);
  const PhiloxBlock input = philox_counter(1, 2, 3, Purpose::kInput, 4);

  CHECK_FALSE(is_equal(dropout, input));
}
