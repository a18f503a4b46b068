#include "stats/shares.h"

#include <algorithm>
#include <random>
#include <utility>

namespace scalestudy::stats {
namespace {

constexpr int kDrawn = 9999;

// Strata whose marks can move.
std::vector<std::vector<Mark>> mixed(std::span<const std::vector<Mark>> strata) {
  std::vector<std::vector<Mark>> kept;
  for (const std::vector<Mark>& stratum : strata) {
    const auto marked = std::ranges::count_if(stratum, &Mark::is_marked);
    if (marked > 0 && marked < std::ssize(stratum)) {
      kept.push_back(stratum);
    }
  }
  return kept;
}

std::vector<double> expected_marks(const std::vector<std::vector<Mark>>& strata,
                                   std::size_t groups) {
  std::vector<double> expected(groups, 0.0);
  for (const std::vector<Mark>& stratum : strata) {
    const auto marked = static_cast<double>(std::ranges::count_if(stratum, &Mark::is_marked));
    for (const Mark& mark : stratum) {
      expected[mark.group] += marked / static_cast<double>(stratum.size());
    }
  }
  return expected;
}

double distance(const std::vector<std::vector<Mark>>& strata, const std::vector<double>& expected) {
  std::vector<double> marks(expected.size(), 0.0);
  for (const std::vector<Mark>& stratum : strata) {
    for (const Mark& mark : stratum) {
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

}  // namespace

EqualShares equal_shares(std::span<const std::vector<Mark>> strata, std::uint64_t seed) {
  std::size_t groups = 0;
  for (const std::vector<Mark>& stratum : strata) {
    for (const Mark& mark : stratum) {
      groups = std::max(groups, mark.group + 1);
    }
  }
  EqualShares result;
  if (groups < 2) {
    return result;
  }
  std::vector<std::vector<Mark>> moving = mixed(strata);
  if (moving.empty()) {
    result.status = Status::kZeroVariance;
    return result;
  }
  const std::vector<double> expected = expected_marks(moving, groups);
  const double observed = distance(moving, expected);
  std::mt19937_64 engine(seed);  // the same everywhere; the distributions of <random> are not
  int as_large = 1;
  for (int drawn = 0; drawn < kDrawn; ++drawn) {
    for (std::vector<Mark>& stratum : moving) {
      for (std::size_t i = stratum.size(); i > 1; --i) {
        std::swap(stratum[i - 1].is_marked, stratum[engine() % i].is_marked);
      }
    }
    // The same sum in another order differs in its last digits.
    as_large += distance(moving, expected) >= observed * (1.0 - 1e-12) ? 1 : 0;
  }
  result.status = Status::kOk;
  result.p = static_cast<double>(as_large) / (kDrawn + 1);
  return result;
}

}  // namespace scalestudy::stats
