// How well a formula gives a column's figures, and how often one would by chance.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/audit/draft/candidate.h"
#include "harness/audit/draft/guess.h"
#include "harness/audit/figure/figure.h"

namespace scalestudy::audit {

// What unrelated figures vary over at most: logarithms of ratios and amounts, percentages as they
// are.
inline constexpr double kMostLogSpread = 2.3;
inline constexpr double kMostPercentSpread = 1.0;

// How often the formula gives what is printed, and how often one would by chance.
struct Fit {
  Candidate candidate;
  std::size_t fitting = 0;  // 0 also if fewer than half of the rows fit
  std::size_t rows = 0;     // that can fit or not: 1.00x in the first row says nothing
  double by_chance = 1.0;
};

// Whether `a` is less likely by chance, or as likely and gives more rows.
bool is_better(const Fit& a, const Fit& b);

// The best of the formulas tried.
struct Choice {
  std::optional<Fit> best;
  std::size_t tried = 0;

  void add(const Fit& fit);
  bool is_certain(double most_by_chance) const;
};

// What a formula gives for a row; absent where that says nothing.
using Value = std::function<std::optional<Range>(std::size_t row)>;

// What unrelated figures would vary over, as far as the column's own show.
double spread_of(const Ranges& printed, bool is_percent);

// How well `value` gives the target's figures. The chance of one row is what the roundings cover of
// the spread, and at least how often the formula's value for one row meets what another prints:
// where all figures are nearly equal, that they agree says nothing.
Fit fit_of(const Value& value, const Ranges& printed, bool is_percent, double spread);

// The rows that print another figure than the formula gives.
std::vector<std::size_t> wrong_rows(const Candidate& candidate,
                                    std::size_t target,
                                    const TableFigures& figures);

// Whether the row that the formula gets wrong is more likely another kind of row than a misprint.
// True if several rows are wrong, if the wrong row holds means or other statistics, or, for a
// formula over another row, if it prints 1 (or a change of 0): another group of rows starts there.
// - needs_clear: also if the wrong row differs by no more than 7.5 % (GiB called GB), takes less
//   than the sum of its times or sizes (overlap), has a part that no other row has, prints a small
//   multiple (2 GPUs, both directions) or is the total of a product or quotient; and if the table
//   has more rows than are tried.
bool is_of_other_rows(const Candidate& candidate,
                      std::size_t target,
                      const TableFigures& figures,
                      bool needs_clear);

// Makes the formula the rule of the column `target`.
// - name: the table's, for SQL.
void set_rule(const Fit& fit,
              std::size_t target,
              const std::string& name,
              const TableFigures& figures,
              std::vector<Guess>& guesses);

}  // namespace scalestudy::audit
