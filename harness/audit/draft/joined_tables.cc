// Compares what two tables print for rows of equal conditions.
#include "harness/audit/draft/joined_tables.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/audit/figure/figure.h"
#include "harness/audit/figure/quantity.h"
#include "harness/text/text.h"

namespace scalestudy::audit {
namespace {

// Speedups and the like are told by their bases, and of free quantities a run has any number.
bool is_measured(const QuantityInfo& info) {
  return info.dimension != Dimension::kLabel && !info.is_condition && !info.is_exact &&
         !info.is_free && info.dimension != Dimension::kRatio;
}

// The run of each row; empty where a condition lacks.
std::vector<Run> runs_of(const DocumentTable& table, const std::vector<Guess>& guesses) {
  std::vector<Run> runs(table.rows.size());
  std::vector<bool> lacks(table.rows.size(), false);
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    const Guess& guess = guesses[c];
    const QuantityInfo* info = find_quantity(guess.quantity);
    if (info == nullptr || !info->is_condition) {
      continue;
    }
    const bool is_label = info->dimension == Dimension::kLabel;
    const std::vector<ParsedFigure> figures =
        is_label ? std::vector<ParsedFigure>() : figures_of(table, guesses, c);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::string text(trimmed(table.rows[r][c]));
      const bool is_number = !is_label && figures[r].figure && figures[r].figure->value;
      lacks[r] = lacks[r] || is_absent(text);
      runs[r][guess.quantity == "label" ? guess.name : guess.quantity] =
          is_number ? fmt::format("{}", *figures[r].figure->value) : text;
    }
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (lacks[r]) {
      runs[r].clear();
    }
  }
  return runs;
}

// Whether figures of other runs seldom agree by chance: times and rates of three digits or more.
// Full memory and the most power are the same of any model.
bool is_telling(const std::string& quantity, const Figure& figure) {
  constexpr double most_width = 0.01;
  const Dimension dimension = find_quantity(quantity)->dimension;
  const Range& range = *figure.range;
  return (dimension == Dimension::kTime || dimension == Dimension::kRate) &&
         range.hi - range.lo < most_width * std::abs(range.hi);
}

bool are_same_runs(const MeasuredRuns& one, const MeasuredRuns& other) {
  int agreeing = 0;
  int differing = 0;
  for (const auto& [run, figures] : one) {
    const auto same = other.find(run);
    if (same == other.end()) {
      continue;
    }
    for (const auto& [column, figure] : figures) {
      const auto twin = same->second.find(column);
      if (twin == same->second.end()) {
        continue;
      }
      const bool agrees = meet(*figure.range, *twin->second.range);
      const bool is_told =
          is_telling(column.first, figure) && is_telling(column.first, twin->second);
      agreeing += agrees && is_told ? 1 : 0;
      differing += agrees ? 0 : 1;
    }
  }
  return agreeing > 1 && differing <= 1;
}

}  // namespace

MeasuredRuns measured_runs(const DocumentTable& table, const std::vector<Guess>& guesses) {
  const std::vector<Run> runs = runs_of(table, guesses);
  MeasuredRuns printed;
  for (const Run& run : runs) {
    if (!run.empty() && !printed.try_emplace(run).second) {
      return {};
    }
  }
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    const QuantityInfo* info = find_quantity(guesses[c].quantity);
    if (info == nullptr || !is_measured(*info)) {
      continue;
    }
    const std::vector<ParsedFigure> figures = figures_of(table, guesses, c);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::optional<Figure>& figure = figures[r].figure;
      if (!runs[r].empty() && figure && figure->range && figure->range->is_bounded()) {
        printed[runs[r]].try_emplace({guesses[c].quantity, guesses[c].at}, *figure);
      }
    }
  }
  return printed;
}

const DraftedTable* table_of_same_runs(const MeasuredRuns& runs,
                                       const std::vector<DraftedTable>& earlier) {
  const auto found =
      std::find_if(earlier.begin(), earlier.end(), [&](const DraftedTable& candidate) {
        return are_same_runs(runs, candidate.runs);
      });
  return found == earlier.end() ? nullptr : &*found;
}

}  // namespace scalestudy::audit
