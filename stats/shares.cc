#include "stats/shares.h"

#include <algorithm>
#include <utility>

#include "stats/random_words.h"

namespace scalestudy::stats {
namespace {

constexpr int kDrawn = 9999;
constexpr int kEnough = 500;  // with so many as large, p is above 5 %
static_assert(20 * kEnough == 1 + kDrawn);

using Counts = std::vector<std::int32_t>;  // by group

// Permutations of the marks in strata of which some are marked and some are not.
class Permutations {
 public:
  Permutations(std::span<const std::vector<Mark>> strata, std::size_t groups, std::uint64_t seed)
      : words_(seed), expected_(groups, 0.0), observed_(groups, 0), undrawn_(groups, 0) {
    for (const std::vector<Mark>& marks : strata) {
      const auto marked = static_cast<std::size_t>(std::ranges::count_if(marks, &Mark::is_marked));
      if (marked > 0 && marked < marks.size()) {
        add(marks, marked);
      }
    }
  }

  bool can_move() const { return !strata_.empty(); }
  const std::vector<double>& expected() const { return expected_; }  // marks by group
  const Counts& observed() const { return observed_; }

  // The marks of each group in one more permutation.
  const Counts& draw() {
    drawn_ = undrawn_;
    for (Stratum& stratum : strata_) {
      // The first steps of a Fisher-Yates shuffle choose the observations of the rarer kind. An
      // order that an earlier draw left is as good a start as any.
      const std::size_t size = stratum.groups.size();
      std::uint32_t* groups = stratum.groups.data();
      for (std::size_t i = 0; i < stratum.rarer; ++i) {
        std::uint64_t word = words_.next();
        std::swap(groups[i], groups[i + take_below(size - i, word)]);
        drawn_[groups[i]] += stratum.sign;
      }
    }
    return drawn_;
  }

 private:
  struct Stratum {
    std::vector<std::uint32_t> groups;  // of its observations
    std::size_t rarer = 0;              // observations of the rarer kind: marked, or not
    std::int32_t sign = 1;              // what one of them adds to the marks of its group
  };

  void add(const std::vector<Mark>& marks, std::size_t marked) {
    const bool is_mark_rarer = 2 * marked <= marks.size();
    Stratum& stratum = strata_.emplace_back();
    stratum.rarer = is_mark_rarer ? marked : marks.size() - marked;
    stratum.sign = is_mark_rarer ? 1 : -1;
    for (const Mark& mark : marks) {
      stratum.groups.push_back(static_cast<std::uint32_t>(mark.group));
      expected_[mark.group] += static_cast<double>(marked) / static_cast<double>(marks.size());
      observed_[mark.group] += mark.is_marked ? 1 : 0;
      undrawn_[mark.group] += is_mark_rarer ? 0 : 1;
    }
  }

  RandomWords words_;
  std::vector<Stratum> strata_;
  std::vector<double> expected_;
  Counts observed_;
  Counts undrawn_;  // marks if no observation were of the rarer kind
  Counts drawn_;
};

// The test of one way to group.
class SpreadTest {
 public:
  // - coarse: as of equal_shares(); empty: of the groups themselves.
  SpreadTest(const Permutations& permutations, std::span<const std::size_t> coarse)
      : coarse_(coarse) {
    const std::vector<double>& expected = permutations.expected();
    std::vector<double> sums = coarse.empty() ? expected : std::vector<double>();
    for (std::size_t group = 0; group < coarse.size(); ++group) {
      sums.resize(std::max(sums.size(), coarse[group] + 1), 0.0);
      sums[coarse[group]] += expected[group];
    }
    for (const double sum : sums) {
      weights_.push_back(sum > 0.0 ? 1.0 / sum : 0.0);
    }
    // The same sum in another order differs in its last digits.
    least_ = distance(permutations.observed()) * (1.0 - 1e-12);
  }

  bool is_over() const { return as_large_ == kEnough || drawn_ == kDrawn; }

  void add(const Counts& marks) {
    ++drawn_;
    as_large_ += distance(marks) >= least_ ? 1 : 0;
  }

  double p() const {
    return as_large_ == kEnough ? static_cast<double>(kEnough) / drawn_
                                : static_cast<double>(1 + as_large_) / (1 + drawn_);
  }

 private:
  // sum x^2 / e, which is sum (x - e)^2 / e and the number of all marks.
  double distance(const Counts& marks) {
    if (coarse_.empty()) {
      return weighted_squares(marks);
    }
    sums_.assign(weights_.size(), 0);
    for (std::size_t group = 0; group < marks.size(); ++group) {
      sums_[coarse_[group]] += marks[group];
    }
    return weighted_squares(sums_);
  }

  double weighted_squares(const Counts& marks) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const auto x = static_cast<double>(marks[i]);
      sum += weights_[i] * x * x;
    }
    return sum;
  }

  std::span<const std::size_t> coarse_;
  std::vector<double> weights_;  // 1 / e of each group; 0 if none of its marks can move
  double least_ = 0.0;           // what a sum as large as the observed one reaches
  int drawn_ = 0;
  int as_large_ = 0;
  Counts sums_;
};

}  // namespace

EqualShares equal_shares(std::span<const std::vector<Mark>> strata,
                         std::uint64_t seed,
                         std::span<const std::size_t> coarse) {
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
  if (!coarse.empty() && coarse.size() < groups) {
    result.status = Status::kInvalidInput;
    return result;
  }
  Permutations permutations(strata, groups, seed);
  if (!permutations.can_move()) {
    result.status = Status::kZeroVariance;
    return result;
  }
  std::vector<SpreadTest> tests{SpreadTest(permutations, {})};
  if (std::ranges::any_of(coarse, [&](std::size_t group) { return group != coarse[0]; })) {
    tests.emplace_back(permutations, coarse.first(groups));
  }
  while (!std::ranges::all_of(tests, &SpreadTest::is_over)) {
    const Counts& marks = permutations.draw();
    for (SpreadTest& test : tests) {
      if (!test.is_over()) {
        test.add(marks);
      }
    }
  }
  result.status = Status::kOk;
  result.p = tests.front().p();
  if (tests.size() > 1) {
    result.coarse_p = tests.back().p();
  }
  return result;
}

}  // namespace scalestudy::stats
