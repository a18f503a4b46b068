// Whether events that are rare meet some groups more often than others.
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
  std::optional<double> p;  // >= 1 / 10,000
};

// Permutation test of sum (x - e)^2 / e over the groups, x the marks of a group and e what is
// expected of it. Marks move inside their stratum, in which chance decided which group stood where:
// trials of a block, whose order is random. 9,999 permutations drawn from `seed`.
//
//   status  insufficient_data: fewer than 2 groups; zero_variance: every stratum has all marked or
//           none, which says nothing of groups.
//   source  Hope 1968 (drawn permutations, p = (1 + as large) / (1 + drawn)); Edgington & Onghena
//           2007 (strata).
EqualShares equal_shares(std::span<const std::vector<Mark>> strata, std::uint64_t seed);

}  // namespace scalestudy::stats
