// Writes the name of a group into each of its rows.
#include "harness/audit/draft/row_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/audit/draft/candidate.h"
#include "harness/audit/figure/figure.h"
#include "harness/audit/figure/quantity.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::audit {
namespace {

// Whether the row only names those below it: "ResNet-50 | | |".
bool is_group_name(const std::vector<std::string>& row) {
  constexpr std::size_t fewest = 3;  // cells; of two the other may be a figure that lacks
  return row.size() >= fewest && !trimmed(row.front()).empty() &&
         std::all_of(row.begin() + 1, row.end(), [](const std::string& cell) {
           return trimmed(cell).empty();
         });
}

}  // namespace

void fold_group_rows(DocumentTable& table) {
  if (table.rows.empty() || !is_group_name(table.rows.front()) ||
      std::count_if(table.rows.begin(), table.rows.end(), is_group_name) < 2) {
    return;
  }
  std::vector<std::vector<std::string>> rows;
  std::string group;
  for (const std::vector<std::string>& row : table.rows) {
    if (is_group_name(row)) {
      group = row.front();
    } else {
      rows.push_back(row);
      rows.back().insert(rows.back().begin(), group);
    }
  }
  if (rows.empty()) {
    return;
  }
  table.rows = std::move(rows);
  table.head.insert(table.head.begin(), "Group");
  if (!table.printed_heads.empty()) {
    table.printed_heads.insert(table.printed_heads.begin(), "Group");
  }
  std::map<std::size_t, std::size_t> second_figures;
  for (const auto& [second, first] : table.second_figures) {
    second_figures[second + 1] = first + 1;
  }
  table.second_figures = std::move(second_figures);
}

void fill_down(DocumentTable& table, std::vector<Guess>& guesses) {
  const auto info_of = [&](std::size_t c) { return find_quantity(guesses[c].quantity); };
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    if (info_of(c) == nullptr || info_of(c)->dimension != Dimension::kLabel ||
        !info_of(c)->is_condition) {
      continue;
    }
    std::size_t filled = 0;
    for (std::size_t r = 1; r < table.rows.size(); ++r) {
      std::vector<std::string>& row = table.rows[r];
      const std::vector<std::string>& above = table.rows[r - 1];
      bool is_of_group = row[c].empty() && !above[c].empty() && !is_total(row);
      bool is_told_apart = false;
      for (std::size_t other = 0; other < guesses.size(); ++other) {
        if (info_of(other) == nullptr || !info_of(other)->is_condition || other == c) {
          continue;
        }
        is_of_group = is_of_group && (other > c || row[other] == above[other]);
        is_told_apart =
            is_told_apart || (other > c && !is_absent(row[other]) && row[other] != above[other]);
      }
      if (is_of_group && is_told_apart) {
        row[c] = above[c];
        ++filled;
      }
    }
    guesses[c].reason +=
        filled == 0 ? ""
                    : fmt::format("; {} filled with the name above",
                                  format_count(static_cast<std::int64_t>(filled), "blank cell"));
  }
}

}  // namespace scalestudy::audit
