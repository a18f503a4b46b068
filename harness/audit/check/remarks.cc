// Tries one correction after the other on copies of the dataset.
#include "harness/audit/check/remarks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "harness/audit/dataset/read_cells.h"
#include "harness/audit/dataset/read_declaration.h"
#include "harness/audit/figure/quantity.h"
#include "harness/base/error.h"

namespace scalestudy::audit {
namespace {

using PlaceKey = std::tuple<std::string, int, int>;

PlaceKey key_of(const FilePlace& place) {
  return {place.file, place.line, place.column};
}

bool is_contradicted(const Finding& finding) {
  return finding.verdict == Verdict::kDoesNotFollow;
}

std::size_t count(const std::vector<Finding>& findings, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) {
        return finding.verdict == verdict;
      }));
}

bool rests_on(const Finding& finding, const FilePlace& place) {
  return std::any_of(finding.bases.begin(), finding.bases.end(), [&](const Base& base) {
    return key_of(base.place) == key_of(place);
  });
}

// Findings of the corrected dataset; nothing when it cannot be audited.
std::optional<std::vector<Finding>> audited(const Dataset& dataset, const Auditor& auditor) {
  try {
    return auditor(dataset);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Whether the correction turns at least two contradictions into figures that follow, and makes
// nothing worse.
bool explains(const std::vector<Finding>& before, const std::vector<Finding>& after) {
  constexpr std::size_t fewest = 2;
  return count(after, Verdict::kDoesNotFollow) + fewest <= count(before, Verdict::kDoesNotFollow) &&
         count(after, Verdict::kFollows) >= count(before, Verdict::kFollows) + fewest &&
         count(after, Verdict::kImplausible) <= count(before, Verdict::kImplausible) &&
         count(after, Verdict::kFollowsIfCutOff) <= count(before, Verdict::kFollowsIfCutOff);
}

// Puts the remark on each finding that is contradicted before and no longer after.
void remark(std::vector<Finding>& findings,
            const std::vector<Finding>& after,
            const std::string& text) {
  for (Finding& finding : findings) {
    const bool is_left = std::any_of(after.begin(), after.end(), [&](const Finding& other) {
      return is_contradicted(other) && key_of(other.place) == key_of(finding.place);
    });
    if (is_contradicted(finding) && !is_left) {
      finding.remark = text;
    }
  }
}

// The table with the texts of two columns exchanged; nothing when one cannot be read as the other,
// or says which run a row is about.
std::optional<Table> swapped(const Table& table, std::size_t a, std::size_t b) {
  Table result = table;
  for (const auto& [to, from] : {std::pair(a, b), std::pair(b, a)}) {
    if (find_quantity(table.columns[to].declared.quantity)->is_condition) {
      return std::nullopt;
    }
    std::vector<std::string> texts;
    for (const std::vector<Cell>& row : table.rows) {
      texts.push_back(row[from].figure.printed);
    }
    const std::vector<ParsedFigure> figures = parse_column(texts, table.columns[to].declared);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (!figures[r].figure) {
        return std::nullopt;
      }
      result.rows[r][to].figure = *figures[r].figure;
    }
  }
  return result;
}

// Whether the finding is of the column, or rests on it.
bool concerns(const Finding& finding, const Table& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
    return key_of(row[column].place) == key_of(finding.place) ||
           rests_on(finding, row[column].place);
  });
}

void try_swaps(const Dataset& dataset,
               std::size_t index,
               std::vector<Finding>& findings,
               const Auditor& auditor) {
  const Table& table = dataset.tables[index];
  std::vector<bool> is_in_doubt;  // columns that a contradiction is of or rests on
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    is_in_doubt.push_back(
        std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
          return is_contradicted(finding) && concerns(finding, table, c);
        }));
  }
  for (std::size_t a = 0; a < table.columns.size(); ++a) {
    for (std::size_t b = a + 1; b < table.columns.size(); ++b) {
      const auto is_left = [&](const Finding& finding) {
        return is_contradicted(finding) &&
               (concerns(finding, table, a) || concerns(finding, table, b));
      };
      const bool are_both_in_doubt = is_in_doubt[a] && is_in_doubt[b];
      std::optional<Table> other =
          are_both_in_doubt && std::count_if(findings.begin(), findings.end(), is_left) > 1
              ? swapped(table, a, b)
              : std::nullopt;
      if (!other) {
        continue;
      }
      Dataset corrected = dataset;
      corrected.tables[index] = std::move(*other);
      const auto after = audited(corrected, auditor);
      if (after && explains(findings, *after) &&
          std::none_of(after->begin(), after->end(), is_left)) {
        remark(findings,
               *after,
               fmt::format("columns {} and {} are swapped: exchanged, their figures follow",
                           table.columns[a].name,
                           table.columns[b].name));
        return;
      }
    }
  }
}

Cell* cell_at(Dataset& dataset, const FilePlace& place, const Column** column) {
  for (Table& table : dataset.tables) {
    for (std::vector<Cell>& row : table.rows) {
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (key_of(row[c].place) == key_of(place) && row[c].figure.form == FigureForm::kRounded) {
          *column = &table.columns[c];
          return &row[c];
        }
      }
    }
  }
  return nullptr;
}

// The values of the base from which every contradicted figure that rests on it follows, if each is
// the base times, or over, what does not change; in base units.
std::optional<Range> base_values(Dataset& dataset,
                                 const std::vector<const Finding*>& resting,
                                 double base,
                                 bool is_over) {
  Range values{0.0, std::numeric_limits<double>::infinity()};
  for (const Finding* finding : resting) {
    const Column* ignored = nullptr;
    const Cell* cell = cell_at(dataset, finding->place, &ignored);
    if (cell == nullptr || !finding->recomputed || !(finding->recomputed->lo > 0.0) ||
        !(cell->figure.range->lo > 0.0)) {
      return std::nullopt;
    }
    const Range& printed = *cell->figure.range;
    const double middle = (finding->recomputed->lo + finding->recomputed->hi) / 2.0;
    const Range factor{printed.lo / middle, printed.hi / middle};
    values.lo = std::max(values.lo, is_over ? base / factor.hi : base * factor.lo);
    values.hi = std::min(values.hi, is_over ? base / factor.lo : base * factor.hi);
  }
  return values.lo <= values.hi && std::isfinite(values.hi) ? std::optional(values) : std::nullopt;
}

// The value in the range with the fewest digits, as the base is printed.
std::string shortest_in(const Range& values, const Figure& base) {
  constexpr int most_digits = 6;
  const double middle = (values.lo + values.hi) / 2.0;
  for (int digits = 0; digits < most_digits; ++digits) {
    const double place = std::pow(10.0, std::max(base.decimals + digits, 0)) / base.unit_size;
    const double rounded = std::round(middle * place) / place;
    if (rounded >= values.lo && rounded <= values.hi) {
      return format_like(base, rounded, digits);
    }
  }
  return "";
}

void try_base(const Dataset& dataset,
              const FilePlace& place,
              std::vector<Finding>& findings,
              const Auditor& auditor) {
  std::vector<const Finding*> resting;
  for (const Finding& finding : findings) {
    if (is_contradicted(finding) && rests_on(finding, place) &&
        key_of(finding.place) != key_of(place)) {
      resting.push_back(&finding);
    }
  }
  for (const bool is_over : {true, false}) {
    Dataset corrected = dataset;
    const Column* column = nullptr;
    Cell* cell = cell_at(corrected, place, &column);
    if (resting.size() < 2 || cell == nullptr ||
        find_quantity(column->declared.quantity)->is_condition) {
      return;
    }
    const auto values = base_values(corrected, resting, *cell->figure.value, is_over);
    const std::string text = values ? shortest_in(*values, cell->figure) : "";
    const ParsedFigure figure = parse_figure(text, reading_for(column->declared));
    if (text.empty() || !figure.figure) {
      continue;
    }
    cell->figure = *figure.figure;
    const auto after = audited(corrected, auditor);
    const bool are_all_explained =
        after && std::none_of(after->begin(), after->end(), [&](const Finding& finding) {
          return is_contradicted(finding) &&
                 (rests_on(finding, place) || key_of(finding.place) == key_of(place));
        });
    if (are_all_explained && explains(findings, *after)) {
      remark(
          findings, *after, fmt::format("the base is mistyped: all others follow from {}", text));
      return;
    }
  }
}

// "MiB/s" for "MB/s" and the other way round; empty for a unit without such a prefix.
std::string other_prefix(const std::string& unit) {
  if (unit.size() < 2 || std::string_view("kKMGTP").find(unit[0]) == std::string_view::npos) {
    return "";
  }
  if (unit[1] == 'i') {
    return unit.substr(0, 1) + unit.substr(2);
  }
  return (unit[0] == 'k' ? "K" : unit.substr(0, 1)) + "i" + unit.substr(1);
}

void scale(Figure& figure, double factor) {
  figure.unit_size *= factor;
  figure.value = figure.value ? std::optional(*figure.value * factor) : std::nullopt;
  if (figure.range) {
    figure.range = Range{figure.range->lo * factor, figure.range->hi * factor};
  }
}

// Powers of 1024 called by the names of powers of 1000, or the other way round.
void try_prefixes(const Dataset& dataset,
                  std::size_t index,
                  std::vector<Finding>& findings,
                  const Auditor& auditor) {
  const Table& table = dataset.tables[index];
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Dimension dimension = find_quantity(table.columns[c].declared.quantity)->dimension;
    const auto is_left = [&](const Finding& finding) {
      return is_contradicted(finding) && concerns(finding, table, c);
    };
    if ((dimension != Dimension::kBytes && dimension != Dimension::kBandwidth) ||
        std::count_if(findings.begin(), findings.end(), is_left) < 2) {
      continue;
    }
    Dataset corrected = dataset;
    std::string unit;
    std::string meant;
    for (std::vector<Cell>& row : corrected.tables[index].rows) {
      Figure& figure = row[c].figure;
      const std::string other = other_prefix(figure.unit);
      const std::optional<double> own_size = unit_scale(figure.unit, dimension);
      const std::optional<double> other_size = unit_scale(other, dimension);
      if (!other.empty() && own_size && other_size) {
        unit = figure.unit;
        meant = other;
        scale(figure, *other_size / *own_size);
      }
    }
    const auto after = meant.empty() ? std::nullopt : audited(corrected, auditor);
    if (after && explains(findings, *after) &&
        std::none_of(after->begin(), after->end(), is_left)) {
      remark(findings,
             *after,
             fmt::format(
                 "as if {} were {}: column {} then follows", unit, meant, table.columns[c].name));
      return;
    }
  }
}

}  // namespace

void add_remarks(const Dataset& dataset, std::vector<Finding>& findings, const Auditor& auditor) {
  if (count(findings, Verdict::kDoesNotFollow) < 2) {
    return;
  }
  std::vector<std::string> remarks_before;
  for (const Finding& finding : findings) {
    remarks_before.push_back(finding.remark);
  }
  for (std::size_t i = 0; i < dataset.tables.size(); ++i) {
    try_swaps(dataset, i, findings, auditor);
    try_prefixes(dataset, i, findings, auditor);
  }
  std::map<PlaceKey, std::pair<FilePlace, int>> bases;  // of contradictions, and of how many
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!is_contradicted(findings[i]) || findings[i].remark != remarks_before[i]) {
      continue;
    }
    for (const Base& base : findings[i].bases) {
      if (base.place.line > 0) {
        auto& [place, uses] = bases[key_of(base.place)];
        place = base.place;
        ++uses;
      }
    }
  }
  for (const auto& [key, base] : bases) {
    if (base.second > 1) {
      try_base(dataset, base.first, findings, auditor);
    }
  }
}

}  // namespace scalestudy::audit
