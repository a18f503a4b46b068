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
  std::optional<double> p;         // of equal shares of the groups; >= 1 / 10,000
  std::optional<double> coarse_p;  // likewise of the coarse groups; absent if fewer than 2
};

// Permutation test of sum (x - e)^2 / e over the groups, with x the marks of a group and e their
// expected number. Marks move within their stratum, where chance decided the order of groups, as in
// the randomised trials of a block. 9,999 permutations are drawn from `seed`, or fewer: a test ends
// with its 500th sum as large as the observed one, in draw l, and then has p = 500 / l. A p below
// 0.05 always is that of all 9,999, so a decision at 5 % or a stricter level is theirs.
//
// - coarse: the coarse group of each group, or empty. Coarse groups are tested on the same
//   permutations. Groups are numbered from 0 on in both.
// - status: insufficient_data: fewer than 2 groups; zero_variance: in every stratum all or none are
//   marked, which says nothing about groups; invalid_input: a group without a coarse one.
// - source: Hope 1968 (drawn permutations, p = (1 + as large) / (1 + drawn)); Besag & Clifford 1991
//   (the end at h as large, p = h / l); Edgington & Onghena 2007 (strata).
EqualShares equal_shares(std::span<const std::vector<Mark>> strata,
                         std::uint64_t seed,
                         std::span<const std::size_t> coarse = {});

}  // namespace scalestudy::stats
