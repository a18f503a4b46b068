#include "workloads/train/input/tokens.h"

#include <algorithm>
#include <bit>

#include "workloads/ops/philox.h"

namespace scalestudy::train {
namespace {

// Successors of a token are four neighbours; which four, the seed says.
std::size_t first_successor(std::size_t token, std::size_t vocabulary, std::uint64_t seed) {
  const ops::PhiloxBlock block = ops::philox4x32_10(
      ops::philox_counter(0, static_cast<std::uint32_t>(token), 0, ops::Purpose::kPrototype, 0),
      ops::philox_key(seed));
  return block.word[0] % vocabulary;
}

}  // namespace

void fill_sequence(std::span<std::int32_t> sequence,
                   std::size_t vocabulary,
                   std::uint64_t seed,
                   std::uint32_t sample) {
  std::size_t token = 0;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const ops::PhiloxBlock block = ops::philox4x32_10(
        ops::philox_counter(static_cast<std::uint32_t>(i / 4), sample, 0, ops::Purpose::kInput, 0),
        ops::philox_key(seed));
    const std::uint32_t word = block.word[i % 4];
    if (i == 0) {
      token = word % vocabulary;
    } else {
      // Leading ones: none with probability 1/2, one with 1/4, two with 1/8, more with 1/8.
      const auto choice = static_cast<std::size_t>(std::min(std::countl_one(word), 3));
      token = (first_successor(token, vocabulary, seed) + choice) % vocabulary;
    }
    sequence[i] = static_cast<std::int32_t>(token);
  }
}

}  // namespace scalestudy::train
