#include "stats/event_effect.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "stats/block_effects.h"
#include "stats/distributions.h"

namespace scalestudy::stats {
namespace {

// Cells and blocks of the values; takes their effects out of anything that has one number a value.
class Factors {
 public:
  // Without `has_blocks`, all values are of one block.
  Factors(std::span<const MetValue> values, bool has_blocks) {
    for (const MetValue& value : values) {
      cell_.push_back(value.cell);
      block_.push_back(has_blocks ? value.block : 0);
    }
    count_ = std::set<std::int64_t>(cell_.begin(), cell_.end()).size() +
             std::set<std::int64_t>(block_.begin(), block_.end()).size() - 1;
  }

  // Whether no effect of a block could be taken for one of a cell.
  bool are_told_apart() const {
    const std::vector<double> zeros(cell_.size(), 0.0);
    return take_out_blocks(zeros, cell_, block_).status == Status::kOk;
  }

  std::size_t count() const { return count_; }

  std::vector<double> taken_out_of(const std::vector<double>& numbers) const {
    std::vector<double> left = take_out_blocks(numbers, cell_, block_).values;
    std::map<std::int64_t, std::pair<double, double>> sums;  // and counts, by cell
    for (std::size_t i = 0; i < left.size(); ++i) {
      sums[cell_[i]].first += left[i];
      sums[cell_[i]].second += 1.0;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] -= sums[cell_[i]].first / sums[cell_[i]].second;
    }
    return left;
  }

 private:
  std::vector<std::int64_t> cell_;
  std::vector<std::int64_t> block_;
  std::size_t count_ = 0;  // of free effects
};

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

struct Slope {
  double value = 0.0;
  double squares = 0.0;  // of the regressor with the factors taken out
};

// Of y on the marked values; nothing if the factors explain the marks.
std::optional<Slope> slope_of(const std::vector<double>& y,
                              const std::vector<double>& marks,
                              const Factors& factors) {
  const std::vector<double> x = factors.taken_out_of(marks);
  const double squares = product(x, x);
  constexpr double kNoSpread = 1e-9;  // a sum of squares of zeros and ones that rounding leaves
  return squares < kNoSpread ? std::nullopt
                             : std::optional(Slope{product(x, y) / squares, squares});
}

EventEffect fit(std::span<const MetValue> values, const Factors& factors, double level) {
  EventEffect result;
  std::vector<double> y;
  std::vector<double> marks;
  for (const MetValue& value : values) {
    y.push_back(value.y);
    marks.push_back(value.is_met ? 1.0 : 0.0);
  }
  if (values.size() < factors.count() + 2 || !factors.are_told_apart()) {
    return result;
  }
  std::vector<double> residuals = factors.taken_out_of(y);
  const auto common = slope_of(residuals, marks, factors);
  if (!common) {
    return result;
  }
  const std::vector<double> x = factors.taken_out_of(marks);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] -= common->value * x[i];
  }
  result.effect = common->value;
  result.df = values.size() - factors.count() - 1;
  const double variance = product(residuals, residuals) / static_cast<double>(result.df);
  result.se = std::sqrt(variance / common->squares);
  const double limit = student_t_critical(2.0 * level - 1.0, static_cast<double>(result.df));
  std::map<std::int64_t, std::vector<double>> own;  // marks of one cell
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_met) {
      own.try_emplace(values[i].cell, values.size(), 0.0).first->second[i] = 1.0;
    }
  }
  for (const auto& [cell, cell_marks] : own) {
    const auto departure = slope_of(residuals, cell_marks, factors);
    const double d = departure ? departure->value : 0.0;
    const double kept = d == 0.0 ? 0.0 : 1.0 - variance / departure->squares / (d * d);
    result.upper[cell] = result.effect + limit * result.se + std::max(0.0, kept) * d;
  }
  result.status = Status::kOk;
  return result;
}

}  // namespace

EventEffect event_effect(std::span<const MetValue> values, double level) {
  EventEffect result;
  if (!std::ranges::all_of(values, [](const MetValue& v) { return std::isfinite(v.y); }) ||
      !(level > 0.5 && level < 1.0)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  for (const bool has_blocks : {true, false}) {
    EventEffect fitted = fit(values, Factors(values, has_blocks), level);
    if (fitted.status == Status::kOk && (result.status != Status::kOk || fitted.se < result.se)) {
      result = std::move(fitted);
    }
  }
  return result;
}

}  // namespace scalestudy::stats
