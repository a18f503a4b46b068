// Tests whether rare events meet some groups more often than others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

// One observation: its group, and whether the event met it.
struct Mark {
  std::size_t group = 0;
  bool is_marked = false;
};

struct EqualShares {
  Status status = Status::kInsufficientData;
  std::optional<double> p;  // of equal shares; >= 1 / 10,000
};

// Permutation test of sum (x - e)^2 / e over the groups, with x the marks of a group and e their
// expected number. Marks move within their stratum, where chance decided the order of groups, as in
// the randomised trials of a block. 9,999 permutations are drawn from `seed`.
//
//   status  insufficient_data: fewer than 2 groups; zero_variance: in every stratum all or none are
//           marked, which says nothing about groups.
//   source  Hope 1968 (drawn permutations, p = (1 + as large) / (1 + drawn)); Edgington & Onghena
//           2007 (strata).
EqualShares equal_shares(std::span<const std::vector<Mark>> strata, std::uint64_t seed);

}  // namespace scalestudy::stats
