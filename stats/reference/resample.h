// Draws with replacement, defined here to the last bit: the standard library's distributions are
// not the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/random_words.h"

namespace scalestudy::stats {

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
