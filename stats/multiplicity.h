// Adjusted p values for a declared family of comparisons.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

struct AdjustedP {
  Status status = Status::kOk;
  std::vector<std::optional<double>> adjusted;  // in the order given; absent stays absent
};

// Holm's adjustment, family-wise. A missing p value is not a member of the family and does not
// count in its size. Empty in, empty out. invalid_input, without values, when a p is outside
// [0, 1]. Source: Holm 1979; R's p.adjust.
AdjustedP holm(std::span<const std::optional<double>> p);

// The level at which everything that is said about one question is decided.
struct Resolution {
  Status status = Status::kOk;
  double alpha_star = 0.05;  // a comparison is resolved exactly where its p is below it
  std::size_t family = 0;    // comparisons that are allowed for
  std::size_t rejected = 0;  // of them, by the step-down procedure; 0 of a plain Bonferroni family
};

// The level at which a two-sided interval of any member excludes its null value exactly where Holm
// rejects it: alpha / (family - rejected), or alpha where all are rejected. An interval at
// 1 - alpha_star therefore says what the adjusted p value says.
//
//   p        a missing p value is no member.
//   more     members that are not known yet and count as not rejected, e.g. values that a search
//            for a break-even may still add.
//   status   invalid_input, with alpha_star 0, at which nothing is resolved, when a p is outside
//            [0, 1] or alpha outside (0, 1).
//   source   Holm 1979; METHODS.md, Families.
Resolution resolve(std::span<const std::optional<double>> p, double alpha, std::size_t more = 0);

// The same for a family whose size was fixed beforehand, without steps: alpha / family.
Resolution resolve_all(std::size_t family, double alpha);

}  // namespace scalestudy::stats
