// Takes cells apart where both parts read as figures.
#include "harness/audit/dataset/split_cells.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <re2/re2.h>

#include "harness/audit/figure/figure.h"
#include "harness/audit/figure/figure_text.h"
#include "harness/audit/figure/unit.h"

namespace scalestudy::audit {
namespace {

using Pair = std::pair<std::string, std::string>;

struct TwoFigures {
  const char* pattern;
  bool needs_unit;  // of the second figure: "12.3 (4)" may be a rank, a deviation or a footnote
  const char* first_heading;
  const char* second_heading;  // behind the column's
};

constexpr auto kTwoFigures = std::to_array<TwoFigures>({
    {R"(^\s*([^()]+?)\s*\(([^()]+)\)\s*$)", true, "", " (in brackets)"},
    {R"(^\s*(.+?)\s*(?:→|->|=>)\s*(.+?)\s*$)", false, " (before)", " (after)"},
});

std::optional<Pair> two_figures(const std::string& cell, const TwoFigures& form) {
  Pair pair;
  return RE2::FullMatch(cell, form.pattern, &pair.first, &pair.second) &&
                 reads_as_figure(pair.first, false) && reads_as_figure(pair.second, form.needs_unit)
             ? std::optional(pair)
             : std::nullopt;
}

// The two columns' cells; nothing for a column that is none such.
std::optional<std::vector<Pair>> taken_apart(const DocumentTable& table,
                                             std::size_t column,
                                             const TwoFigures& form) {
  std::vector<Pair> cells;
  std::size_t whole = 0;
  std::size_t split = 0;
  for (const std::vector<std::string>& row : table.rows) {
    const std::string& cell = row[column];
    if (std::optional<Pair> pair = two_figures(cell, form)) {
      cells.push_back(std::move(*pair));
      ++split;
      continue;
    }
    if (!is_absent(cell) && !reads_as_figure(cell, false)) {
      return std::nullopt;
    }
    whole += is_absent(cell) ? 0U : 1U;
    cells.emplace_back(cell, "");
  }
  return split > 0 && split >= whole ? std::optional(std::move(cells)) : std::nullopt;
}

// "Time (speedup)" names both; the bracket of "Time (ms)" is a unit.
Pair headings(const std::string& heading, const TwoFigures& form) {
  Pair named;
  if (RE2::FullMatch(heading, kTwoFigures.front().pattern, &named.first, &named.second) &&
      !is_unit(named.second)) {
    return named;
  }
  return {heading + form.first_heading, heading + form.second_heading};
}

// "1.0x" of "1.0x (baseline)": the word names the row and says nothing of the figure.
void leave_out_base(std::string& cell) {
  std::string figure;
  if (RE2::FullMatch(cell, R"((?i)\s*(.+?)\s*\((?:baseline|base|reference)\)\s*)", &figure) &&
      reads_as_figure(figure, false)) {
    cell = figure;
  }
}

}  // namespace

bool is_unit(std::string_view unit) {
  using enum Dimension;
  constexpr auto dimensions = std::to_array<Dimension>(
      {kRatio, kTime, kBytes, kBandwidth, kMoney, kFlop, kFlopRate, kPower});
  return !unit.empty() &&
         (std::any_of(dimensions.begin(),
                      dimensions.end(),
                      [&](Dimension dimension) { return unit_scale(unit, dimension); }) ||
          (unit.find('/') != std::string_view::npos && unit_scale(unit, kRate)));
}

bool reads_as_figure(std::string_view text, bool needs_unit) {
  const std::optional<Pieces> pieces = take_apart(text);
  return pieces && pieces->first &&
         (is_unit(pieces->unit) || (!needs_unit && pieces->unit.empty()));
}

void split_cells(DocumentTable& table) {
  for (std::vector<std::string>& row : table.rows) {
    std::ranges::for_each(row, leave_out_base);
  }
  for (std::size_t c = 0; c < table.head.size(); ++c) {
    for (const TwoFigures& form : kTwoFigures) {
      const std::optional<std::vector<Pair>> cells = taken_apart(table, c, form);
      if (!cells) {
        continue;
      }
      const auto [first, second] = headings(table.head[c], form);
      const auto at = static_cast<std::ptrdiff_t>(c) + 1;
      table.head[c] = first;
      table.head.insert(table.head.begin() + at, second);
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        table.rows[r][c] = (*cells)[r].first;
        table.rows[r].insert(table.rows[r].begin() + at, (*cells)[r].second);
      }
      table.second_figures[c + 1] = c;
      ++c;
      break;
    }
  }
}

}  // namespace scalestudy::audit
