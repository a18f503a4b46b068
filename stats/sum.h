// Pairwise sums: the error grows with log n, not n, and no fast-math can undo it.
#pragma once

#include <cstddef>

namespace scalestudy::stats {

// term(first) + ... + term(last - 1). Halves the range until 64 terms are left.
template <typename Term>
double pairwise_sum(std::size_t first, std::size_t last, const Term& term) {
  constexpr std::size_t block = 64;
  if (last - first <= block) {
    double sum = 0.0;
    for (std::size_t i = first; i < last; ++i) {
      sum += term(i);
    }
    return sum;
  }
  const std::size_t middle = first + (last - first) / 2;
  return pairwise_sum(first, middle, term) + pairwise_sum(middle, last, term);
}

}  // namespace scalestudy::stats
