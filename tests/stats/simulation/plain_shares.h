// The permutation test of equal_shares() as its textbook has it: all marks move in every draw, all
// draws are made, and each way to group has draws of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stats/shares.h"
#include "tests/support/random.h"

namespace scalestudy::test {

using Strata = std::vector<std::vector<stats::Mark>>;

// Without strata of which all or none are marked, which have nothing to move.
inline Strata mixed(Strata strata) {
  std::erase_if(strata, [](const std::vector<stats::Mark>& stratum) {
    const auto marked = std::ranges::count_if(stratum, &stats::Mark::is_marked);
    return marked == 0 || marked == std::ssize(stratum);
  });
  return strata;
}

inline std::vector<double> expected_marks(const Strata& strata, std::size_t groups) {
  std::vector<double> expected(groups, 0.0);
  for (const std::vector<stats::Mark>& stratum : strata) {
    const auto marked =
        static_cast<double>(std::ranges::count_if(stratum, &stats::Mark::is_marked));
    for (const stats::Mark& mark : stratum) {
      expected[mark.group] += marked / static_cast<double>(stratum.size());
    }
  }
  return expected;
}

// sum (x - e)^2 / e over the groups.
inline double distance(const Strata& strata, const std::vector<double>& expected) {
  std::vector<double> marks(expected.size(), 0.0);
  for (const std::vector<stats::Mark>& stratum : strata) {
    for (const stats::Mark& mark : stratum) {
      marks[mark.group] += mark.is_marked ? 1.0 : 0.0;
    }
  }
  double sum = 0.0;
  for (std::size_t group = 0; group < marks.size(); ++group) {
    const double apart = marks[group] - expected[group];
    sum += expected[group] > 0.0 ? apart * apart / expected[group] : 0.0;
  }
  return sum;
}

// - groups: more than the largest group of a mark.
inline double plain_p(Strata strata, std::size_t groups, std::uint64_t seed) {
  constexpr int draws = 9999;
  strata = mixed(std::move(strata));
  const std::vector<double> expected = expected_marks(strata, groups);
  const double observed = distance(strata, expected);
  Random random(seed);
  int as_large = 1;
  for (int drawn = 0; drawn < draws; ++drawn) {
    for (std::vector<stats::Mark>& stratum : strata) {
      for (std::size_t i = stratum.size(); i > 1; --i) {
        std::swap(stratum[i - 1].is_marked, stratum[random.next() % i].is_marked);
      }
    }
    as_large += distance(strata, expected) >= observed * (1.0 - 1e-9) ? 1 : 0;
  }
  return static_cast<double>(as_large) / (draws + 1);
}

}  // namespace scalestudy::test
