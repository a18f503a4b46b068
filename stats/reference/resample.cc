#include "stats/reference/resample.h"

#include <algorithm>

namespace scalestudy::stats {
namespace {

constexpr std::size_t kMostEntries = 1024;  // 16 KiB a table: it stays in the first-level cache
constexpr std::size_t kMostPerWord = 4;     // 1024^4 = 2^40: a word is drawn again once in 2^24

// Sums of every ordered tuple of `length` values; length 0 has the one empty tuple.
std::vector<Sums> sums_of_tuples(std::span<const double> values, std::size_t length) {
  std::vector<Sums> shorter{Sums{}};
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Sums> longer;
    longer.reserve(shorter.size() * values.size());
    for (const Sums& sums : shorter) {
      for (const double value : values) {
        longer.push_back({.sum = sums.sum + value, .squares = sums.squares + value * value});
      }
    }
    shorter = std::move(longer);
  }
  return shorter;
}

// 2^64 mod range.
std::uint64_t least_fraction(std::uint64_t range) {
  return (std::uint64_t{0} - range) % range;
}

}  // namespace

SumSampler::SumSampler(std::span<const double> values) {
  const std::size_t n = values.size();
  std::size_t length = 1;
  for (std::size_t entries = n; length < n && entries * n <= kMostEntries; entries *= n) {
    ++length;
  }
  tuples_ = sums_of_tuples(values, length);
  rest_ = sums_of_tuples(values, n % length);
  const std::size_t per_word = tuples_.size() <= kMostEntries ? kMostPerWord : 1;
  for (std::size_t left = n / length; left > 0;) {
    Batch batch{.tuples = std::min(left, per_word), .takes_rest = false, .least_fraction = 0};
    left -= batch.tuples;
    batch.takes_rest = left == 0 && n % length > 0;
    std::uint64_t range = batch.takes_rest ? rest_.size() : 1;
    for (std::size_t i = 0; i < batch.tuples; ++i) {
      range *= tuples_.size();
    }
    batch.least_fraction = least_fraction(range);
    batches_.push_back(batch);
  }
}

void draw_values(std::span<const double> values, RandomWords& words, std::span<double> resample) {
  const std::uint64_t least = least_fraction(values.size());
  for (double& drawn : resample) {
    std::uint64_t word = 0;
    std::uint64_t index = 0;
    do {
      word = words.next();
      index = take_below(values.size(), word);
    } while (word < least);
    drawn = values[index];
  }
}

}  // namespace scalestudy::stats
