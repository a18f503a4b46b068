// A table's figures as ranges, and the formulas that a column of `x` or `%` may follow from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/audit/draft/document.h"
#include "harness/audit/draft/guess.h"
#include "harness/audit/figure/figure.h"

namespace scalestudy::audit {

// One range a row; absent where there is no figure, or no bounded one.
using Ranges = std::vector<std::optional<Range>>;

// Whether the row holds sums of others, by what one of its cells says.
bool is_total(const std::vector<std::string>& row);

struct TableFigures {
  TableFigures(const DocumentTable& table, const std::vector<Guess>& guesses);

  // Whether two columns hold what can be compared.
  bool is_alike(std::size_t a, std::size_t b) const;

  static constexpr std::size_t kMostRows = 60;  // further rows say nothing new

  std::vector<Ranges> columns;        // empty for labels and conditions
  std::vector<Dimension> dimensions;  // kLabel for these
  std::vector<std::string> units;
  std::optional<std::size_t> total_row;
  std::vector<bool> is_of_statistics;  // one a row: "Average", "Std", "Best"

  // The hardware of most rows, and its column, if a row has other hardware: what is relative to
  // another row may then be relative to none.
  std::string usual_hardware;
  std::size_t hardware_column = 0;
  std::vector<bool> is_other_hardware;  // one a row
};

// A ratio, a saving (1 - ratio) or a change (ratio - 1) of a column to something else, or a product
// or sum of columns.
struct Candidate {
  enum class Form { kRatio, kSaving, kChange, kProduct, kTotal };
  enum class Over { kColumn, kFirstRow, kRowAbove, kSum, kPairSum, kOne };

  Form form = Form::kRatio;
  Over over = Over::kColumn;
  bool is_inverse = false;  // the other row over this one; for kFirstRow and kRowAbove
  std::size_t column = 0;
  std::size_t other = 0;             // for kColumn and kPairSum
  std::size_t base = 0;              // row, for kFirstRow
  std::vector<std::size_t> parts{};  // columns, for kTotal
};

// Every formula that could give a ratio; savings, changes, shares and what is left to 100 % only
// for percentages. The first row is that of the target's only 1 if the formula has nothing to start
// from before.
std::vector<Candidate> candidates_for(std::size_t target,
                                      bool is_percent,
                                      const TableFigures& figures);

// Whether the heading says that its figures are these: a speedup is the time of the base over that
// of a row, or the rate of a row over that of the base.
bool names_formula(const std::string& heading,
                   const Candidate& candidate,
                   const TableFigures& figures);

// What the formula gives for a row, by the roundings of its figures. Absent where a figure lacks,
// and where the formula gives 1 whatever is printed.
std::optional<Range> value_of(const Candidate& candidate,
                              const TableFigures& figures,
                              std::size_t row);

// The rule as YAML for `follows`, and the formula in words.
// - table: its name in SQL.
std::pair<std::string, std::string> rule_of(const Candidate& candidate,
                                            const std::string& table,
                                            const std::vector<Guess>& guesses,
                                            const TableFigures& figures);

}  // namespace scalestudy::audit
