// Formulas over a table's figures, by interval arithmetic.
#include "harness/audit/draft/candidate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/figure/quantity.h"
#include "harness/text/text.h"
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

// Sets what hardware most rows have, if others have another.
void tell_hardware(const DocumentTable& table,
                   const std::vector<Guess>& guesses,
                   TableFigures& figures) {
  figures.is_other_hardware.assign(table.rows.size(), false);
  const auto column = std::find_if(guesses.begin(), guesses.end(), [](const Guess& guess) {
    return guess.quantity == "hardware";
  });
  if (column == guesses.end()) {
    return;
  }
  figures.hardware_column = static_cast<std::size_t>(column - guesses.begin());
  std::map<std::string, std::size_t> counts;
  for (const std::vector<std::string>& row : table.rows) {
    ++counts[std::string(trimmed(row[figures.hardware_column]))];
  }
  for (const auto& [hardware, count] : counts) {
    if (2 * count > table.rows.size() && count < table.rows.size() && !hardware.empty()) {
      figures.usual_hardware = hardware;
    }
  }
  for (std::size_t r = 0; r < table.rows.size() && !figures.usual_hardware.empty(); ++r) {
    figures.is_other_hardware[r] =
        trimmed(table.rows[r][figures.hardware_column]) != figures.usual_hardware;
  }
}

// Whether the cell names a mean, spread or extreme of other rows: what holds in each run need not
// hold for these.
bool is_statistic(const std::string& cell) {
  static const RE2 kNames(
      R"((?i)(.*\()?\W*((geom?|geometric|arith(metic)?|harmonic|weighted|macro|micro|overall))"
      R"(\.?[\s-]*)?(g?means?|avg|averages?|medians?|std([\s-]?dev)?|stdev|standard deviation)"
      R"(|sigma|min(imum)?|max(imum)?|best|worst|range|p(50|75|9\d))([^\w-].*)?)"
      R"(|\W*sd\W*|\s*[σØΔ].*|\s*±\D*)");
  return RE2::FullMatch(cell, kNames);
}

// The sum of the formula's columns; absent where a figure lacks.
std::optional<Range> sum_of_parts(const Candidate& candidate,
                                  const TableFigures& figures,
                                  std::size_t row) {
  Range sum;
  for (const std::size_t part : candidate.parts) {
    const std::optional<Range>& figure = figures.columns[part][row];
    if (!figure) {
      return std::nullopt;
    }
    sum = {sum.lo + figure->lo, sum.hi + figure->hi};
  }
  return sum;
}

// What the formula is a ratio of, or a product, for one row; absent where a figure lacks or the row
// says nothing.
std::optional<Range> ratio(const Candidate& candidate,
                           const TableFigures& figures,
                           std::size_t row) {
  const Ranges& column = figures.columns[candidate.column];
  if (candidate.over == Over::kOne) {
    return column[row];  // 0 % too
  }
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
      if (candidate.form == Form::kProduct) {
        return Range{column[row]->lo * other->lo, column[row]->hi * other->hi};
      }
      return candidate.over == Over::kColumn ? over(*column[row], *other)
                                             : share(*column[row], *other);
    }
    case Over::kFirstRow:
    case Over::kRowAbove: {
      const bool is_above = candidate.over == Over::kRowAbove;
      const std::size_t base = is_above ? std::max(row, std::size_t{1}) - 1 : candidate.base;
      if (row == base || !is_positive(column[base]) || figures.is_other_hardware[row] ||
          figures.is_other_hardware[base]) {
        return std::nullopt;
      }
      return candidate.is_inverse ? over(*column[base], *column[row])
                                  : over(*column[row], *column[base]);
    }
    case Over::kOne:
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

// The SQL, NULL in rows of other hardware if there are any: these stay unchecked.
std::string of_usual_hardware(const std::string& sql,
                              const std::vector<Guess>& guesses,
                              const TableFigures& figures) {
  std::string text;
  for (const char c : figures.usual_hardware) {
    text += c == '\'' ? "''" : std::string(1, c);
  }
  return text.empty() ? sql
                      : fmt::format("CASE WHEN {} = '{}' THEN {} END",
                                    quoted(guesses[figures.hardware_column].name),
                                    text,
                                    sql);
}

// The rule by what SQL gives for the row.
std::pair<std::string, std::string> sql_rule(const std::string& value,
                                             const std::string& words,
                                             const std::string& table) {
  const std::string sql = fmt::format("SELECT {} FROM {} WHERE row = :row", value, quoted(table));
  return {fmt::format("sql: {}, formula: {}", yaml_text(sql), yaml_text(words)), words};
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
  for (const std::vector<std::string>& row : table.rows) {
    is_of_statistics.push_back(std::any_of(row.begin(), row.end(), is_statistic));
  }
  tell_hardware(table, guesses, *this);
}

bool TableFigures::is_alike(std::size_t a, std::size_t b) const {
  return a != b && dimensions[a] != Dimension::kLabel && dimensions[a] == dimensions[b] &&
         (dimensions[a] != Dimension::kOther || units[a] == units[b]);
}

std::optional<Range> value_of(const Candidate& candidate,
                              const TableFigures& figures,
                              std::size_t row) {
  if (candidate.form == Form::kTotal) {
    return sum_of_parts(candidate, figures, row);
  }
  const std::optional<Range> of = ratio(candidate, figures, row);
  if (!of || candidate.form == Form::kRatio || candidate.form == Form::kProduct) {
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

// The row that what is relative to one row starts from: the only one that prints 1, unless the
// first prints no ratio and has a figure of the column.
std::size_t base_row(const Ranges& printed, const Ranges& column) {
  constexpr double slack = 1e-9;
  if (printed.empty() || (!printed.front() && column.front())) {
    return 0;
  }
  std::vector<std::size_t> ones;
  for (std::size_t r = 0; r < printed.size(); ++r) {
    if (printed[r] && std::abs((printed[r]->lo + printed[r]->hi) / 2.0 - 1.0) < slack) {
      ones.push_back(r);
    }
  }
  return ones.size() == 1 ? ones.front() : 0;
}

std::vector<Candidate> candidates_for(std::size_t target,
                                      bool is_percent,
                                      const TableFigures& figures) {
  std::vector<Candidate> all;
  const auto forms = is_percent ? std::vector{Form::kRatio, Form::kSaving, Form::kChange}
                                : std::vector{Form::kRatio};
  for (std::size_t a = 0; is_percent && a < target; ++a) {
    if (figures.dimensions[a] == Dimension::kRatio && figures.units[a] == "%") {
      all.push_back({Form::kSaving, Over::kOne, false, a, a, 0});
    }
  }
  for (std::size_t a = 0; a < figures.columns.size(); ++a) {
    if (a == target || figures.dimensions[a] == Dimension::kLabel ||
        figures.dimensions[a] == Dimension::kRatio) {
      continue;
    }
    const std::vector<std::size_t> alike = columns_like(a, target, figures);
    for (const Form form : forms) {
      for (const std::size_t b : alike) {
        all.push_back({form, Over::kColumn, false, a, b, 0});
      }
      const std::size_t base = base_row(figures.columns[target], figures.columns[a]);
      for (const Over over_row : {Over::kFirstRow, Over::kRowAbove}) {
        all.push_back({form, over_row, false, a, a, base});
        all.push_back({form, over_row, true, a, a, base});
      }
    }
    if (is_percent) {
      all.push_back({Form::kRatio, Over::kSum, false, a, a, 0});
      for (const std::size_t b : alike) {
        all.push_back({Form::kRatio, Over::kPairSum, false, a, b, 0});
      }
    }
  }
  return all;
}

bool names_formula(const std::string& heading,
                   const Candidate& candidate,
                   const TableFigures& figures) {
  const Dimension dimension = figures.dimensions[candidate.column];
  const bool is_pair = candidate.over == Over::kColumn;
  if (!is_pair && candidate.over != Over::kFirstRow) {
    return false;
  }
  const auto says = [&](const char* words) { return RE2::PartialMatch(heading, words); };
  const bool is_time = dimension == Dimension::kTime;
  const bool is_rate = dimension == Dimension::kRate;
  const bool is_size = dimension == Dimension::kBytes;
  const bool has_base_above = is_pair || candidate.is_inverse;
  const bool has_row_above = is_pair || !candidate.is_inverse;
  switch (candidate.form) {
    case Form::kRatio:
      return (says("(?i)speed.?up") &&
              ((is_time && has_base_above) || (is_rate && has_row_above))) ||
             (says("(?i)slow.?down") &&
              ((is_time && has_row_above) || (is_rate && has_base_above))) ||
             (says("(?i)compression") && is_size && has_base_above);
    case Form::kSaving:
      return says("(?i)sav(ed|ing)|reduc") && (is_time || is_size) && !candidate.is_inverse;
    case Form::kChange:
      return says("(?i)overhead") && (is_time || is_size) && !candidate.is_inverse;
    case Form::kProduct:
    case Form::kTotal:
      break;
  }
  return false;
}

std::pair<std::string, std::string> rule_of(const Candidate& candidate,
                                            const std::string& table,
                                            const std::vector<Guess>& guesses,
                                            const TableFigures& figures) {
  if (candidate.form == Form::kTotal) {
    std::vector<std::string> names;
    for (const std::size_t part : candidate.parts) {
      names.push_back(guesses[part].name);
    }
    return {fmt::format("sum: [{}]", join(names, ", ")), join(names, " + ")};
  }
  constexpr auto keys = std::to_array<const char*>({"ratio", "saving", "change", "product"});
  constexpr auto wordings =
      std::to_array<const char*>({"{} / {}", "1 - {} / {}", "{} / {} - 1", "{} * {}"});
  const auto form = static_cast<std::size_t>(candidate.form);
  const std::string& a = guesses[candidate.column].name;
  const std::string& b = guesses[candidate.other].name;
  const auto worded = [&](const std::string& top, const std::string& bottom) {
    return fmt::format(fmt::runtime(wordings.at(form)), top, bottom);
  };
  if (candidate.over == Over::kColumn) {
    return {fmt::format("{}: [{}, {}]", keys.at(form), a, b), worded(a, b)};
  }
  if (candidate.over == Over::kOne) {
    return sql_rule("1 - " + quoted(a), "1 - " + a, table);
  }
  const bool is_first = candidate.over == Over::kFirstRow;
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
                         is_first ? std::to_string(candidate.base + 1) : ":row - 1");
      base_words = !is_first             ? "previous " + a
                   : candidate.base == 0 ? "first " + a
                                         : fmt::format("{} of row {}", a, candidate.base + 1);
  }
  const bool is_inverse = candidate.is_inverse;
  const std::string words = worded(is_inverse ? base_words : a, is_inverse ? a : base_words);
  const bool is_over_row = candidate.over == Over::kFirstRow || candidate.over == Over::kRowAbove;
  const std::string value = worded(is_inverse ? base : quoted(a), is_inverse ? quoted(a) : base);
  return sql_rule(is_over_row ? of_usual_hardware(value, guesses, figures) : value, words, table);
}

}  // namespace scalestudy::audit
