#include "stats/event_effect.h"

#include <algorithm>
#include <cmath>
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

  const std::vector<std::int64_t>& cell() const { return cell_; }    // per value
  const std::vector<std::int64_t>& block() const { return block_; }  // likewise

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

// The numbers as 0, 1, ... in the order in which they first appear.
std::vector<std::size_t> places_of(const std::vector<std::int64_t>& numbers) {
  std::map<std::int64_t, std::size_t> places;
  std::vector<std::size_t> all;
  for (const std::int64_t number : numbers) {
    all.push_back(places.emplace(number, places.size()).first->second);
  }
  return all;
}

std::size_t count_of(const std::vector<std::size_t>& places) {
  return places.empty() ? 0 : *std::ranges::max_element(places) + 1;
}

// Sums of squares of marks on some values with two factors taken out of the marks, from one matrix
// for all sets of marks: to take the factors out of each cell's marks is quadratic in cells.
class MarkSquares {
 public:
  // The factor with more levels is eliminated, and the first level of the other is left out.
  MarkSquares(const std::vector<std::int64_t>& cell, const std::vector<std::int64_t>& block)
      : kept_(places_of(cell)), gone_(places_of(block)) {
    if (count_of(kept_) > count_of(gone_)) {
      std::swap(kept_, gone_);
    }
    const std::size_t levels = count_of(kept_);
    counts_.assign(count_of(gone_), std::vector<double>(levels, 0.0));
    totals_.assign(counts_.size(), 0.0);
    root_.assign(levels, std::vector<double>(levels, 0.0));
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      counts_[gone_[i]][kept_[i]] += 1.0;
      totals_[gone_[i]] += 1.0;
      root_[kept_[i]][kept_[i]] += 1.0;
    }
    for (std::size_t g = 0; g < counts_.size(); ++g) {
      for (std::size_t row = 1; row < levels; ++row) {
        for (std::size_t column = 1; column <= row; ++column) {
          root_[row][column] -= counts_[g][row] * counts_[g][column] / totals_[g];
        }
      }
    }
    take_root();
  }

  double of(const std::vector<std::size_t>& marked) const {
    std::vector<double> left(root_.size(), 0.0);
    std::map<std::size_t, double> met;  // marks of each eliminated level
    for (const std::size_t i : marked) {
      left[kept_[i]] += 1.0;
      met[gone_[i]] += 1.0;
    }
    auto squares = static_cast<double>(marked.size());
    for (const auto& [level, marks] : met) {
      squares -= marks * marks / totals_[level];
      for (std::size_t k = 0; k < left.size(); ++k) {
        left[k] -= marks * counts_[level][k] / totals_[level];
      }
    }
    for (std::size_t row = 1; row < left.size(); ++row) {
      for (std::size_t k = 1; k < row; ++k) {
        left[row] -= root_[row][k] * left[k];
      }
      left[row] = root_[row][row] > 0.0 ? left[row] / root_[row][row] : 0.0;
      squares -= left[row] * left[row];
    }
    return squares;
  }

 private:
  // Cholesky's root of the lower triangle; 0 in a column that the others explain.
  void take_root() {
    constexpr double explained = 1e-9;
    for (std::size_t row = 1; row < root_.size(); ++row) {
      for (std::size_t column = 1; column <= row; ++column) {
        double& value = root_[row][column];
        for (std::size_t k = 1; k < column; ++k) {
          value -= root_[row][k] * root_[column][k];
        }
        if (column == row) {
          value = value > explained ? std::sqrt(value) : 0.0;
        } else {
          value = root_[column][column] > 0.0 ? value / root_[column][column] : 0.0;
        }
      }
    }
  }

  std::vector<std::size_t> kept_;            // level per value
  std::vector<std::size_t> gone_;            // likewise, of the factor that is eliminated
  std::vector<std::vector<double>> counts_;  // (gone, kept)
  std::vector<double> totals_;               // of values, by level of gone
  std::vector<std::vector<double>> root_;    // (kept, kept), lower
};

constexpr double kNoSpread = 1e-9;  // a sum of squares of zeros and ones that rounding leaves

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
  const std::vector<double> x = factors.taken_out_of(marks);
  const double squares = product(x, x);
  if (squares < kNoSpread) {
    return result;  // the factors explain the marks
  }
  result.effect = product(x, residuals) / squares;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] -= result.effect * x[i];
  }
  result.df = values.size() - factors.count() - 1;
  const double variance = product(residuals, residuals) / static_cast<double>(result.df);
  result.se = std::sqrt(variance / squares);
  const double limit = student_t_critical(2.0 * level - 1.0, static_cast<double>(result.df));
  std::map<std::int64_t, std::vector<std::size_t>> own;  // places of the marks of one cell
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_met) {
      own[values[i].cell].push_back(i);
    }
  }
  const MarkSquares squares_of_marks(factors.cell(), factors.block());
  for (const auto& [cell, places] : own) {
    const double own_squares = squares_of_marks.of(places);
    double sum = 0.0;  // of residuals, from which the factors are out already
    for (const std::size_t i : places) {
      sum += residuals[i];
    }
    const double d = own_squares < kNoSpread ? 0.0 : sum / own_squares;
    const double kept = d == 0.0 ? 0.0 : 1.0 - variance / own_squares / (d * d);
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
