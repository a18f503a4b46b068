// Formulas over a table's figures, by interval arithmetic.
#include "harness/audit/dataset/candidate.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/figure/quantity.h"
#include "harness/text/yaml_text.h"

namespace scalestudy::audit {
namespace {

using Form = Candidate::Form;
using Over = Candidate::Over;

Range over(const Range& a, const Range& b) {
  return {a.lo / b.hi, a.hi / b.lo};
}

bool is_positive(const std::optional<Range>& range) {
  return range && range->lo > 0.0;
}

// The sum of a column's other rows, or its total row less this one: what a share is of, beside
// itself. Absent if a figure is.
std::optional<Range> rest_of_sum(const Ranges& column,
                                 std::size_t row,
                                 std::optional<std::size_t> total_row) {
  Range rest{0.0, 0.0};
  for (std::size_t r = 0; r < column.size(); ++r) {
    if (r == row || r == total_row) {
      continue;
    }
    if (!is_positive(column[r])) {
      return std::nullopt;
    }
    rest.lo += column[r]->lo;
    rest.hi += column[r]->hi;
  }
  return column.size() > TableFigures::kMostRows ? std::nullopt : std::optional(rest);
}

Range share(const Range& part, const Range& rest) {
  return {part.lo / (part.lo + rest.hi), part.hi / (part.hi + rest.lo)};
}

// What the formula is a ratio of, for one row; absent where a figure lacks or the row says nothing.
std::optional<Range> ratio(const Candidate& candidate,
                           const TableFigures& figures,
                           std::size_t row) {
  const Ranges& column = figures.columns[candidate.column];
  if (!is_positive(column[row])) {
    return std::nullopt;
  }
  switch (candidate.over) {
    case Over::kColumn:
    case Over::kPairSum: {
      const std::optional<Range>& other = figures.columns[candidate.other][row];
      if (!is_positive(other)) {
        return std::nullopt;
      }
      return candidate.over == Over::kColumn ? over(*column[row], *other)
                                             : share(*column[row], *other);
    }
    case Over::kFirstRow:
    case Over::kRowAbove: {
      const std::size_t base = candidate.over == Over::kFirstRow || row == 0 ? 0 : row - 1;
      if (row == 0 || !is_positive(column[base])) {
        return std::nullopt;
      }
      return candidate.is_inverse ? over(*column[base], *column[row])
                                  : over(*column[row], *column[base]);
    }
    case Over::kSum:
      break;
  }
  const std::optional<Range> rest = rest_of_sum(column, row, figures.total_row);
  return row == figures.total_row || !rest ? std::nullopt
                                           : std::optional(share(*column[row], *rest));
}

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

}  // namespace

bool is_total(const std::vector<std::string>& row) {
  return std::any_of(row.begin(), row.end(), [](const std::string& cell) {
    return RE2::FullMatch(cell, R"((?i)\s*(total|sum|all|overall|gesamt)\b.*)") &&
           !RE2::PartialMatch(cell, R"((?i)^\s*all[- ]?(reduce|gather|to))");
  });
}

TableFigures::TableFigures(const DocumentTable& table, const std::vector<Guess>& guesses) {
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    const QuantityInfo* info = find_quantity(guesses[c].quantity);
    const bool is_measured =
        info != nullptr && info->dimension != Dimension::kLabel && !info->is_condition;
    Ranges ranges;
    std::string unit;
    for (const ParsedFigure& parsed :
         is_measured ? figures_of(table, guesses, c) : std::vector<ParsedFigure>()) {
      const bool is_there = parsed.figure && parsed.figure->range &&
                            parsed.figure->range->is_bounded() && ranges.size() < kMostRows;
      ranges.push_back(is_there ? parsed.figure->range : std::nullopt);
      unit = is_there && unit.empty() ? parsed.figure->unit : unit;
    }
    dimensions.push_back(is_measured ? info->dimension : Dimension::kLabel);
    columns.push_back(std::move(ranges));
    units.push_back(unit);
  }
  if (!table.rows.empty() && is_total(table.rows.back())) {
    total_row = table.rows.size() - 1;
  }
}

bool TableFigures::is_alike(std::size_t a, std::size_t b) const {
  return a != b && dimensions[a] != Dimension::kLabel && dimensions[a] == dimensions[b] &&
         (dimensions[a] != Dimension::kOther || units[a] == units[b]);
}

std::optional<Range> value_of(const Candidate& candidate,
                              const TableFigures& figures,
                              std::size_t row) {
  const std::optional<Range> of = ratio(candidate, figures, row);
  if (!of || candidate.form == Form::kRatio) {
    return of;
  }
  return candidate.form == Form::kSaving ? Range{1.0 - of->hi, 1.0 - of->lo}
                                         : Range{of->lo - 1.0, of->hi - 1.0};
}

// The other columns beside the target's that column `a` may be divided by.
std::vector<std::size_t> columns_like(std::size_t a,
                                      std::size_t target,
                                      const TableFigures& figures) {
  std::vector<std::size_t> alike;
  for (std::size_t b = 0; b < figures.columns.size(); ++b) {
    if (b != target && figures.is_alike(a, b)) {
      alike.push_back(b);
    }
  }
  return alike;
}

std::vector<Candidate> candidates_for(std::size_t target,
                                      bool is_percent,
                                      const TableFigures& figures) {
  std::vector<Candidate> all;
  const auto forms = is_percent ? std::vector{Form::kRatio, Form::kSaving, Form::kChange}
                                : std::vector{Form::kRatio};
  for (std::size_t a = 0; a < figures.columns.size(); ++a) {
    if (a == target || figures.dimensions[a] == Dimension::kLabel ||
        figures.dimensions[a] == Dimension::kRatio) {
      continue;
    }
    const std::vector<std::size_t> alike = columns_like(a, target, figures);
    for (const Form form : forms) {
      for (const std::size_t b : alike) {
        all.push_back({form, Over::kColumn, false, a, b});
      }
      for (const Over base : {Over::kFirstRow, Over::kRowAbove}) {
        all.push_back({form, base, false, a, a});
        all.push_back({form, base, true, a, a});
      }
    }
    if (is_percent) {
      all.push_back({Form::kRatio, Over::kSum, false, a, a});
      for (const std::size_t b : alike) {
        all.push_back({Form::kRatio, Over::kPairSum, false, a, b});
      }
    }
  }
  return all;
}

std::pair<std::string, std::string> rule_of(const Candidate& candidate,
                                            const std::string& table,
                                            const std::vector<Guess>& guesses,
                                            const TableFigures& figures) {
  constexpr auto keys = std::to_array<const char*>({"ratio", "saving", "change"});
  constexpr auto wordings = std::to_array<const char*>({"{} / {}", "1 - {} / {}", "{} / {} - 1"});
  const auto form = static_cast<std::size_t>(candidate.form);
  const std::string& a = guesses[candidate.column].name;
  const std::string& b = guesses[candidate.other].name;
  const auto worded = [&](const std::string& top, const std::string& bottom) {
    return fmt::format(fmt::runtime(wordings.at(form)), top, bottom);
  };
  if (candidate.over == Over::kColumn) {
    return {fmt::format("{}: [{}, {}]", keys.at(form), a, b), worded(a, b)};
  }
  std::string base;
  std::string base_words;
  switch (candidate.over) {
    case Over::kPairSum:
      base = fmt::format("({} + {})", quoted(a), quoted(b));
      base_words = fmt::format("({} + {})", a, b);
      break;
    case Over::kSum:
      base = figures.total_row ? fmt::format("(SELECT {} FROM {} WHERE row = {})",
                                             quoted(a),
                                             quoted(table),
                                             *figures.total_row + 1)
                               : fmt::format("(SELECT SUM({}) FROM {})", quoted(a), quoted(table));
      base_words = "sum of " + a;
      break;
    default:
      base = fmt::format("(SELECT {} FROM {} WHERE row = {})",
                         quoted(a),
                         quoted(table),
                         candidate.over == Over::kFirstRow ? "1" : ":row - 1");
      base_words = (candidate.over == Over::kFirstRow ? "first " : "previous ") + a;
  }
  const bool is_inverse = candidate.is_inverse;
  const std::string words = worded(is_inverse ? base_words : a, is_inverse ? a : base_words);
  const std::string sql =
      fmt::format("SELECT {} FROM {} WHERE row = :row",
                  worded(is_inverse ? base : quoted(a), is_inverse ? quoted(a) : base),
                  quoted(table));
  return {fmt::format("sql: {}, formula: {}", yaml_text(sql), yaml_text(words)), words};
}

}  // namespace scalestudy::audit
