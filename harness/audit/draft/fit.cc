// Weighs formulas by the roundings of their figures.
#include "harness/audit/draft/fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace scalestudy::audit {
namespace {

// What unrelated figures vary over at least.
constexpr double kLeastSpread = 0.2;
// Rows that a rule may not give: an error or two are likely, a rule that is not meant more so.
constexpr std::size_t kMostWrong = 1;

// P(Binomial(n, p) >= m).
double tail(std::size_t n, std::size_t m, double p) {
  double below = 0.0;
  double choose = 1.0;
  for (std::size_t k = 0; k < m; ++k) {
    below += choose * std::pow(p, static_cast<double>(k)) *
             std::pow(1.0 - p, static_cast<double>(n - k));
    choose *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return std::clamp(1.0 - below, 0.0, 1.0);
}

double middle(const Range& range) {
  return (range.lo + range.hi) / 2.0;
}

// How wide a range is where unrelated figures lie evenly: in logarithms for `x` and amounts.
double width(const Range& range, bool is_percent) {
  return is_percent       ? range.hi - range.lo
         : range.lo > 0.0 ? std::log(range.hi / range.lo)
                          : kMostLogSpread;
}

// Whether the two are further apart than GB and GiB, which are 7.4 %.
bool differ_clearly(const Range& printed, const Range& given) {
  constexpr double least = 0.075;
  const double gap = std::max(printed.lo - given.hi, given.lo - printed.hi);
  return gap > least * std::max(printed.hi, given.hi);
}

// Whether a column that the formula lacks holds what the target does, in this row alone.
bool has_part_of_its_own(const Candidate& candidate,
                         std::size_t target,
                         const TableFigures& figures,
                         std::size_t row) {
  const auto is_part = [](const std::optional<Range>& range) { return range && range->lo > 0.0; };
  for (std::size_t c = 0; c < figures.columns.size(); ++c) {
    const auto& parts = candidate.parts;
    const bool is_used = candidate.form == Candidate::Form::kTotal
                             ? std::find(parts.begin(), parts.end(), c) != parts.end()
                             : c == candidate.column || c == candidate.other;
    if (is_used || !figures.is_alike(target, c)) {
      continue;
    }
    const Ranges& column = figures.columns[c];
    if (is_part(column[row]) && std::count_if(column.begin(), column.end(), is_part) == 1) {
      return true;
    }
  }
  return false;
}

// Whether the figure is twice, three times ... what the formula gives: of 2 GPUs at the price of
// one, or read and written.
bool is_multiple(const Range& printed, const Range& given) {
  constexpr int most = 16;
  for (int k = 2; k <= most; ++k) {
    if (meet(printed, {k * given.lo, k * given.hi})) {
      return true;
    }
  }
  return false;
}

// Whether a table of amounts or shares may have such a row without an error.
bool is_of_other_kind(const Candidate& candidate,
                      std::size_t target,
                      const TableFigures& figures,
                      std::size_t row) {
  const Range& printed = *figures.columns[target][row];
  const Range given = value_of(candidate, figures, row).value();
  const Dimension dimension = figures.dimensions[target];
  const bool may_overlap = candidate.form == Candidate::Form::kTotal &&
                           (dimension == Dimension::kTime || dimension == Dimension::kBytes);
  const bool is_of_two =
      candidate.form == Candidate::Form::kProduct || candidate.form == Candidate::Form::kRatio;
  return !differ_clearly(printed, given) || (may_overlap && printed.hi < given.lo) ||
         has_part_of_its_own(candidate, target, figures, row) ||
         (is_of_two && (row == figures.total_row || is_multiple(printed, given)));
}

}  // namespace

bool is_better(const Fit& a, const Fit& b) {
  return a.by_chance != b.by_chance ? a.by_chance < b.by_chance : a.fitting > b.fitting;
}

void Choice::add(const Fit& fit) {
  if (!best || is_better(fit, *best)) {
    best = fit;
  }
}

bool Choice::is_certain(double most_by_chance) const {
  return best && best->by_chance * static_cast<double>(tried) <= most_by_chance;
}

double spread_of(const Ranges& printed, bool is_percent) {
  std::optional<Range> all;
  for (const std::optional<Range>& range : printed) {
    if (range && (is_percent || range->lo > 0.0)) {
      const double at = is_percent ? middle(*range) : std::log(middle(*range));
      all = all ? Range{std::min(all->lo, at), std::max(all->hi, at)} : Range{at, at};
    }
  }
  return std::clamp(all ? 2.0 * (all->hi - all->lo) : 0.0,
                    kLeastSpread,
                    is_percent ? kMostPercentSpread : kMostLogSpread);
}

Fit fit_of(const Value& value, const Ranges& printed, bool is_percent, double spread) {
  Fit fit;
  std::vector<std::pair<Range, Range>> pairs;  // printed, recomputed
  double width_sum = 0.0;
  for (std::size_t r = 0; r < printed.size(); ++r) {
    const std::optional<Range> recomputed = printed[r] ? value(r) : std::nullopt;
    if (recomputed && recomputed->is_bounded()) {
      pairs.emplace_back(*printed[r], *recomputed);
      fit.fitting += meet(*printed[r], *recomputed) ? 1U : 0U;
      width_sum += width(*printed[r], is_percent) + width(*recomputed, is_percent);
    }
  }
  fit.rows = pairs.size();
  if (fit.fitting == 0 || 2 * fit.fitting < fit.rows) {
    fit.fitting = 0;
    return fit;
  }
  std::size_t crossing = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      crossing += i != j && meet(pairs[i].first, pairs[j].second) ? 1U : 0U;
    }
  }
  const auto n = static_cast<double>(fit.rows);
  const double p = std::max(width_sum / n / spread,
                            fit.rows < 2 ? 1.0 : static_cast<double>(crossing) / (n * (n - 1.0)));
  fit.by_chance = tail(fit.rows, fit.fitting, std::min(p, 1.0));
  return fit;
}

std::vector<std::size_t> wrong_rows(const Candidate& candidate,
                                    std::size_t target,
                                    const TableFigures& figures) {
  std::vector<std::size_t> rows;
  const Ranges& printed = figures.columns[target];
  for (std::size_t r = 0; r < printed.size(); ++r) {
    const std::optional<Range> given = printed[r] ? value_of(candidate, figures, r) : std::nullopt;
    if (given && !meet(*printed[r], *given)) {
      rows.push_back(r);
    }
  }
  return rows;
}

bool is_of_other_rows(const Candidate& candidate,
                      std::size_t target,
                      const TableFigures& figures,
                      bool needs_clear) {
  constexpr double slack = 1e-9;
  const bool is_over_row =
      candidate.over == Candidate::Over::kFirstRow || candidate.over == Candidate::Over::kRowAbove;
  const double own = candidate.form == Candidate::Form::kRatio ? 1.0 : 0.0;
  const Ranges& printed = figures.columns[target];
  const std::vector<std::size_t> wrong = wrong_rows(candidate, target, figures);
  return (needs_clear && printed.size() > TableFigures::kMostRows) || wrong.size() > kMostWrong ||
         std::ranges::any_of(wrong, [&](std::size_t r) {
           return figures.is_of_statistics[r] ||
                  (needs_clear && is_of_other_kind(candidate, target, figures, r)) ||
                  (is_over_row && std::abs(middle(*printed[r]) - own) < slack);
         });
}

void set_rule(const Fit& fit,
              std::size_t target,
              const std::string& name,
              const TableFigures& figures,
              std::vector<Guess>& guesses) {
  Guess& guess = guesses[target];
  const auto [rule, words] = rule_of(fit.candidate, name, guesses, figures);
  guess.follows = rule;
  guess.baseline.clear();
  guess.note.clear();
  guess.reason += fmt::format("; {} gives {} of {} rows", words, fit.fitting, fit.rows);
}

}  // namespace scalestudy::audit
