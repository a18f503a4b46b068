// The order of trials: own generator and shuffle, because those of the standard library differ
// between implementations and an order must repeat everywhere.
#include <map>
#include <numeric>
#include <utility>

#include "harness/study/matrix/matrix.h"

namespace scalestudy {
namespace {

// SplitMix64. Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA
// 2014; constants as in https://prng.di.unimi.it/splitmix64.c.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

// An integer in [0, bound), each equally likely, from the upper 32 bits of the generator.
// Source: Lemire, Fast random integer generation in an interval, ACM TOMACS 29 (2019), algorithm 5.
std::uint32_t bounded(SplitMix64& generator, std::uint32_t bound) {
  const auto draw = [&] { return (generator.next() >> 32U) * bound; };
  std::uint64_t product = draw();
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t smallest = -bound % bound;
    while (static_cast<std::uint32_t>(product) < smallest) {
      product = draw();
    }
  }
  return static_cast<std::uint32_t>(product >> 32U);
}

// Fisher-Yates from the end, Durstenfeld's form.
std::vector<std::size_t> shuffled(SplitMix64& generator, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t last = count; last > 1; --last) {
    std::swap(order[last - 1], order[bounded(generator, static_cast<std::uint32_t>(last))]);
  }
  return order;
}

// Cells, as indices of the matrix in its order.
using Groups = std::map<std::int64_t, std::vector<std::size_t>>;

// With one trial of every cell that has the block.
Groups by_block(const Matrix& matrix) {
  Groups groups;
  for (std::size_t cell = 0; cell < matrix.cells.size(); ++cell) {
    for (const Blocks& blocks : matrix.cells[cell].blocks) {
      for (std::int64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
        groups[block].push_back(cell);
      }
    }
  }
  return groups;
}

Groups by_first_block(const Matrix& matrix) {
  Groups groups;
  for (std::size_t cell = 0; cell < matrix.cells.size(); ++cell) {
    for (const Blocks& blocks : matrix.cells[cell].blocks) {
      groups[blocks.first].push_back(cell);
    }
  }
  return groups;
}

}  // namespace

std::vector<ScheduledTrial> schedule(const Study& study, const Matrix& matrix) {
  SplitMix64 generator(study.order.seed);
  const bool is_batch = study.order.design == OrderDesign::kBatch;
  std::vector<ScheduledTrial> trials;
  int position = 0;
  for (const auto& [first, cells] : is_batch ? by_first_block(matrix) : by_block(matrix)) {
    for (const std::size_t place : shuffled(generator, cells.size())) {
      const std::size_t cell = cells[place];
      const std::int64_t count = is_batch ? matrix.cells[cell].blocks_with(first)->count : 1;
      for (std::int64_t block = first; block < first + count; ++block) {
        trials.push_back({cell, static_cast<int>(block), position++});
      }
    }
  }
  return trials;
}

std::vector<std::size_t> planned_looks(const Trials& trials) {
  std::vector<std::size_t> looks;
  if (trials.is_for_verdicts) {
    const auto last = static_cast<std::size_t>(trials.count);
    for (auto look = static_cast<std::size_t>(trials.min); look < last; look += (look + 1) / 2) {
      looks.push_back(look);
    }
    looks.push_back(last);
  }
  return looks;
}

}  // namespace scalestudy
