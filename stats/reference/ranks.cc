#include "stats/reference/ranks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

constexpr double kMostExactPairs = 10'000.0;

double pair_count(std::span<const double> a, std::span<const double> b) {
  return static_cast<double>(a.size()) * static_cast<double>(b.size());
}

// Pairs with a > b, ties half.
double u_statistic(std::span<const double> a, std::span<const double> b) {
  double u = 0.0;
  for (const double left : a) {
    for (const double right : b) {
      u += left > right ? 1.0 : 0.0;
      u += left == right ? 0.5 : 0.0;
    }
  }
  return u;
}

// How often each value occurs in both samples together.
std::map<double, std::size_t> tie_groups(std::span<const double> a, std::span<const double> b) {
  std::map<double, std::size_t> groups;
  for (const double value : a) {
    ++groups[value];
  }
  for (const double value : b) {
    ++groups[value];
  }
  return groups;
}

// Twice the midranks, in increasing order: whole numbers.
std::vector<std::size_t> doubled_midranks(const std::map<double, std::size_t>& groups) {
  std::vector<std::size_t> ranks;
  for (const auto& [value, count] : groups) {
    ranks.insert(ranks.end(), count, 2 * ranks.size() + count + 1);
  }
  return ranks;
}

// P(sum of `chosen` of the `scores`, drawn at random without replacement, is s), by s. Each score
// is drawn or passed in turn with its conditional probability: all terms positive, nothing
// overflows.
std::vector<double> sum_distribution(std::span<const std::size_t> scores, std::size_t chosen) {
  const std::size_t greatest = std::accumulate(scores.begin(), scores.end(), std::size_t{0});
  std::vector<std::vector<double>> p(chosen + 1, std::vector<double>(greatest + 1, 0.0));
  p[0][0] = 1.0;
  std::size_t left = scores.size();
  for (const std::size_t score : scores) {
    for (std::size_t k = chosen + 1; k > 0; --k) {
      const std::size_t drawn = k - 1;
      if (chosen - drawn > left) {
        continue;  // too few scores are left: this state has no probability
      }
      const double draw = static_cast<double>(chosen - drawn) / static_cast<double>(left);
      for (std::size_t s = 0; s <= greatest; ++s) {
        const double here = p[drawn][s];
        if (here != 0.0 && draw > 0.0) {
          p[drawn + 1][s + score] += here * draw;
        }
        p[drawn][s] = here * (1.0 - draw);
      }
    }
    --left;
  }
  return p[chosen];
}

// P(U = u) of n_a and n_b values without ties, by u. The greatest value is one of the i + j at
// random: from a it beats all j of b, from b it beats none of a. All terms are positive, so nothing
// cancels or overflows. U of a has the distribution of U of b: j runs along the shorter side, or
// 1 against 10^4 would hold 10^8 numbers at once.
std::vector<double> u_distribution(std::size_t n_a, std::size_t n_b) {
  const auto [shorter, longer] = std::minmax(n_a, n_b);
  std::vector<std::vector<double>> p(shorter + 1, std::vector<double>{1.0});  // by j, for i = 0
  for (std::size_t i = 1; i <= longer; ++i) {
    for (std::size_t j = 1; j <= shorter; ++j) {
      const double from_a = static_cast<double>(i) / static_cast<double>(i + j);
      std::vector<double> next(i * j + 1, 0.0);
      for (std::size_t u = 0; u < p[j].size(); ++u) {
        next[u + j] = from_a * p[j][u];
      }
      for (std::size_t u = 0; u < p[j - 1].size(); ++u) {
        next[u] += (1.0 - from_a) * p[j - 1][u];
      }
      p[j] = std::move(next);
    }
  }
  return p[shorter];
}

// P of a U at least as far from its mean as `u`, without ties.
double exact_p(std::size_t n_a, std::size_t n_b, double u) {
  const std::vector<double> p = u_distribution(n_a, n_b);
  const double mean = static_cast<double>(p.size() - 1) / 2.0;
  double sum = 0.0;
  for (std::size_t s = 0; s < p.size(); ++s) {
    if (std::abs(static_cast<double>(s) - mean) >= std::abs(u - mean)) {
      sum += p[s];
    }
  }
  return std::min(1.0, sum);
}

// P of a doubled rank sum at least as far from its mean as the one that `u` belongs to.
double permutation_p(std::span<const std::size_t> ranks, std::size_t n_a, double u) {
  const std::vector<double> p = sum_distribution(ranks, n_a);
  const auto size = static_cast<double>(n_a);
  const double observed = 2.0 * u + size * (size + 1.0);
  const double mean = size * (static_cast<double>(ranks.size()) + 1.0);
  const double distance = std::abs(observed - mean);
  double sum = 0.0;
  for (std::size_t s = 0; s < p.size(); ++s) {
    if (std::abs(static_cast<double>(s) - mean) >= distance) {
      sum += p[s];
    }
  }
  return std::min(1.0, sum);
}

double normal_p(const std::map<double, std::size_t>& groups, double pairs, double n, double u) {
  double ties = 0.0;
  for (const auto& [value, size] : groups) {
    const auto count = static_cast<double>(size);
    ties += count * count * count - count;
  }
  const double variance = pairs / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
  const double distance = std::max(0.0, std::abs(u - pairs / 2.0) - 0.5);
  return normal_two_sided_p(distance / std::sqrt(variance));
}

// 2 / C(n, k), capped at 1.
double least_p(std::size_t n, std::size_t k) {
  double reciprocal = 1.0;
  for (std::size_t i = 1; i <= k; ++i) {
    reciprocal *= static_cast<double>(i) / static_cast<double>(n - k + i);
  }
  return std::min(1.0, 2.0 * reciprocal);
}

}  // namespace

MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b, RankP method) {
  MannWhitney result;
  if (!all_finite(a) || !all_finite(b)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (a.empty() || b.empty()) {
    return result;
  }
  const double pairs = pair_count(a, b);
  const auto groups = tie_groups(a, b);
  const std::size_t n = a.size() + b.size();
  const double u = u_statistic(a, b);
  result.u_a = u;
  result.u_b = pairs - u;
  if (groups.size() == 1) {
    result.status = Status::kAllTied;
    result.p = 1.0;
    return result;
  }
  const bool is_without_ties = groups.size() == n;
  const bool is_exact =
      method == RankP::kPermutation ||
      (method == RankP::kAutomatic && is_without_ties && pairs <= kMostExactPairs);
  if (is_exact && pairs > kMostExactPairs) {
    result.status = Status::kUnattainable;
    return result;
  }
  result.status = Status::kOk;
  if (is_exact) {
    result.p = is_without_ties ? exact_p(a.size(), b.size(), u)
                               : permutation_p(doubled_midranks(groups), a.size(), u);
    if (is_without_ties) {
      result.min_attainable_p = least_p(n, a.size());
    }
  } else {
    result.p = normal_p(groups, pairs, static_cast<double>(n), u);
  }
  return result;
}

HodgesLehmann hodges_lehmann(std::span<const double> a, std::span<const double> b, double level) {
  HodgesLehmann result;
  if (!all_finite(a) || !all_finite(b) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (a.empty() || b.empty()) {
    return result;
  }
  std::vector<double> differences;
  for (const double left : a) {
    for (const double right : b) {
      differences.push_back(left - right);
    }
  }
  std::sort(differences.begin(), differences.end());
  result.estimate = sorted_quantile(differences, 0.5);
  result.status = Status::kUnattainable;
  if (pair_count(a, b) > kMostExactPairs) {
    return result;
  }
  const std::vector<double> p = u_distribution(a.size(), b.size());
  result.max_coverage = 1.0 - 2.0 * p.front();
  const double tail = (1.0 - level) / 2.0 * (1.0 + 1e-12);
  double below = 0.0;
  std::size_t d = 0;  // largest with P(U <= d - 1) <= tail
  while (2 * d < differences.size() && below + p[d] <= tail) {
    below += p[d];
    ++d;
  }
  if (d == 0) {
    return result;
  }
  result.status = Status::kOk;
  result.lo = differences[d - 1];
  result.hi = differences[differences.size() - d];
  result.coverage = 1.0 - 2.0 * below;
  return result;
}

CliffsDelta cliffs_delta(std::span<const double> a, std::span<const double> b) {
  CliffsDelta result;
  if (!all_finite(a) || !all_finite(b)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (a.empty() || b.empty()) {
    return result;
  }
  const double a12 = u_statistic(a, b) / pair_count(a, b);
  result.status = Status::kOk;
  result.a12 = a12;
  result.delta = 2.0 * a12 - 1.0;
  return result;
}

}  // namespace scalestudy::stats
