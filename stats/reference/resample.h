// Draws with replacement, defined here to the last bit: the standard library's distributions are
// not the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

struct Sums {
  double sum = 0.0;
  double squares = 0.0;
};

// Sums over n draws with replacement from n values. Tables hold the sums of every ordered tuple of
// k values, so that one draw of a table entry is k independent, uniform draws of a value.
class SumSampler {
 public:
  // `values` must not be empty.
  explicit SumSampler(std::span<const double> values);

  // Sum and sum of squares of one resample.
  Sums draw(RandomWords& words) const {
    Sums total;
    for (const Batch& batch : batches_) {
      Sums part;
      std::uint64_t word = 0;
      do {
        word = words.next();
        part = {};
        for (std::size_t i = 0; i < batch.tuples; ++i) {
          add(part, tuples_[take_below(tuples_.size(), word)]);
        }
        if (batch.takes_rest) {
          add(part, rest_[take_below(rest_.size(), word)]);
        }
      } while (word < batch.least_fraction);
      add(total, part);
    }
    return total;
  }

 private:
  struct Batch {  // what is drawn from one random word
    std::size_t tuples = 0;
    bool takes_rest = false;
    std::uint64_t least_fraction = 0;
  };

  static void add(Sums& to, const Sums& term) {
    to.sum += term.sum;
    to.squares += term.squares;
  }

  std::vector<Sums> tuples_;  // every ordered k-tuple
  std::vector<Sums> rest_;    // every ordered (n mod k)-tuple
  std::vector<Batch> batches_;
};

// Fills `resample` with draws from `values`, both of one size, which must not be 0.
void draw_values(std::span<const double> values, RandomWords& words, std::span<double> resample);

}  // namespace scalestudy::stats
