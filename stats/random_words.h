// Random words and bounded integers made of them, the same to the last bit on every platform.
#pragma once

#include <cstdint>

namespace scalestudy::stats {

// SplitMix64 (Steele, Lea & Flood 2014). The seed is mixed first, so that seeds 1, 2, 3 ... start
// unrelated streams.
class RandomWords {
 public:
  explicit RandomWords(std::uint64_t seed) : state_(mix(seed ^ 0x5CA1E57D00000000U)) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    return mix(state_);
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

__extension__ using Wide = unsigned __int128;

// Takes the next bounded integer out of a random word: returns floor(word * range / 2^64) and
// leaves the fraction in `word`, from which more can be taken. All are exactly uniform if the last
// fraction is at least 2^64 mod (product of the ranges); else the whole word is drawn again.
// Source: Lemire 2019; Brackett-Rozinsky & Lemire 2024 for several from one word.
inline std::uint64_t take_below(std::uint64_t range, std::uint64_t& word) {
  const Wide product = static_cast<Wide>(word) * range;
  word = static_cast<std::uint64_t>(product);
  return static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace scalestudy::stats
