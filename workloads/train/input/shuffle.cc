#include "workloads/train/input/shuffle.h"

#include <algorithm>
#include <bit>

namespace scalestudy::train {
namespace {

constexpr std::uint64_t kRounds = 4;

// SplitMix64. source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
// 2014.
std::uint64_t mix(std::uint64_t word) {
  word += 0x9E3779B97F4A7C15U;
  word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27U)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31U);
}

}  // namespace

std::uint64_t shuffled(std::uint64_t position,
                       std::uint64_t count,
                       std::uint64_t seed,
                       std::uint64_t epoch) {
  const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
  const unsigned half = std::max(1U, (bits + 1U) / 2U);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1U;
  const std::uint64_t key = mix(mix(seed) ^ epoch);
  std::uint64_t value = position;
  // Comes back to `position`, which is below count, at the latest.
  do {
    std::uint64_t left = value >> half;
    std::uint64_t right = value & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t next = left ^ (mix(mix(key ^ round) ^ right) & mask);
      left = right;
      right = next;
    }
    value = left << half | right;
  } while (value >= count);
  return value;
}

}  // namespace scalestudy::train
