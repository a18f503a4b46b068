// Writes dataset.yaml and its CSV files.
#include "harness/audit/draft/draft.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/draft/decimal_commas.h"
#include "harness/audit/draft/discover.h"
#include "harness/audit/draft/guess.h"
#include "harness/audit/draft/guess_scaling.h"
#include "harness/audit/draft/heading_patterns.h"
#include "harness/audit/draft/joined_tables.h"
#include "harness/audit/draft/row_groups.h"
#include "harness/audit/figure/quantity.h"
#include "harness/base/error.h"
#include "harness/text/csv_line.h"
#include "harness/text/text.h"
#include "harness/text/yaml_text.h"

namespace scalestudy::audit {
namespace {

constexpr std::size_t kLongestName = 60;
constexpr std::string_view kAdvice =
    "# Drafted by `scalestudy audit init`. Every `guess:` says how a column was read: confirm or "
    "mend\n"
    "# it (data/published/FORMAT.md), then delete that key. Until then what `audit` says of these\n"
    "# columns is no better than the guess. Where several tables are about the same runs, give "
    "them\n"
    "# the same `experiment:`; what a whole table shares belongs under `fixed:` (model, batch).\n";

// The only field of a line is quoted: without quotes an empty one would be no row at all.
std::string table_line(const std::vector<std::string>& cells) {
  return cells.size() == 1 ? csv_quoted(cells.front()) + "\n" : csv_line(cells);
}

std::string column_text(const Guess& guess, const std::string& heading) {
  std::string text = fmt::format("      - column: {}\n", guess.name);
  text += heading.empty() ? "" : fmt::format("        heading: {}\n", yaml_text(heading));
  text += fmt::format("        quantity: {}\n", guess.quantity);
  text += guess.unit.empty() ? "" : fmt::format("        unit: {}\n", yaml_text(guess.unit));
  text += guess.is_exact ? "        exact: true\n" : "";
  text += guess.shows_zeros ? "        zeros: shown\n" : "";
  text += guess.is_no_sum ? "        total: false\n" : "";
  text += guess.at.empty() ? "" : fmt::format("        at: {{{}}}\n", guess.at);
  text += guess.baseline.empty() ? "" : fmt::format("        baseline: {{{}}}\n", guess.baseline);
  text += guess.follows.empty() ? "" : fmt::format("        follows: {{{}}}\n", guess.follows);
  return text + fmt::format("        guess: {}\n", yaml_text(guess.reason));
}

// The column's heading as the document has it.
const std::string& printed_head(const DocumentTable& table, std::size_t column) {
  return table.printed_heads.empty() ? table.head[column] : table.printed_heads[column];
}

// Whether a table has a column for each run: a head of numbers, or of numbers of devices, beside
// rows of different quantities.
bool is_transposed(const DocumentTable& table) {
  constexpr std::size_t fewest = 3;  // columns
  const bool is_head_of_numbers =
      table.head.size() >= fewest &&
      std::all_of(table.head.begin() + 1, table.head.end(), [](const std::string& heading) {
        return RE2::FullMatch(heading,
                              R"((?i)\s*\d+\s*[x×-]?\s*((gpu|device|node|rank|worker)s?)?\s*)");
      });
  std::set<Dimension> dimensions;
  std::size_t named = 0;
  for (const std::vector<std::string>& row : table.rows) {
    const QuantityInfo* info = named_quantity(row.front());
    if (info != nullptr && !info->is_condition && info->dimension != Dimension::kLabel) {
      dimensions.insert(info->dimension);
      ++named;
    }
  }
  return is_head_of_numbers && dimensions.size() > 1 && 2 * named >= table.rows.size();
}

// Why the table cannot be read, and what to do; empty if it can.
std::string unread(const DocumentTable& table) {
  const std::string why = is_transposed(table)
                              ? "it has a column for each run; transpose it: a row for each run, a "
                                "column for each quantity"
                              : decimal_commas_in(table);
  return why.empty() ? ""
                     : fmt::format("the table in lines {}-{} was not read, because {}",
                                   table.first_line,
                                   table.last_line,
                                   why);
}

// What the last figure of a column seems to be of the others.
enum class LastFigure {
  kUnknown,
  kSum,
  kNoSum,     // not more than each of them: a mean, or a peak
  kBelowSum,  // the others overlap, or some are parts of others
};

LastFigure last_figure(const std::vector<ParsedFigure>& figures) {
  std::optional<double> most;
  double least_sum = 0.0;
  for (std::size_t r = 0; r + 1 < figures.size(); ++r) {
    if (figures[r].figure && figures[r].figure->range) {
      const Range& range = *figures[r].figure->range;
      most = std::max(most.value_or(range.hi), range.hi);
      least_sum += range.lo;
    }
  }
  const std::optional<Figure>& last = figures.back().figure;
  if (!last || !last->range || !most) {
    return LastFigure::kUnknown;
  }
  if (last->range->lo <= *most) {
    return LastFigure::kNoSum;
  }
  return meet(*last->range, {least_sum, std::numeric_limits<double>::infinity()})
             ? LastFigure::kSum
             : LastFigure::kBelowSum;
}

// "All" and "Overall" may as well be all of several techniques at once.
bool is_named_sum(const std::string& cell) {
  return RE2::FullMatch(cell,
                        R"((?i)\s*(grand\s+)?(total|sum|gesamt)(\s+(time|duration|cost|memory))?)"
                        R"(\s*(\(.*\))?:?\s*)");
}

// The condition that names the last row, if that holds sums, as YAML: "operation: Total". Marks the
// columns whose figure there is none. Empty if no column has a sum there.
std::string tell_total_row(const DocumentTable& table,
                           int number,
                           std::vector<Guess>& guesses,
                           std::vector<std::string>& notes) {
  std::string name;
  bool has_sum = false;
  std::vector<std::size_t> no_sums;
  std::vector<std::string> notes_below;
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    const QuantityInfo* info = find_quantity(guesses[c].quantity);
    const std::string& cell = table.rows.back()[c];
    if (info == nullptr) {
      continue;
    }
    if (name.empty() && info->dimension == Dimension::kLabel && info->is_condition &&
        is_named_sum(cell)) {
      name = fmt::format("{}: {}",
                         guesses[c].quantity == "label" ? guesses[c].name : guesses[c].quantity,
                         yaml_text(std::string(trimmed(cell))));
    }
    const LastFigure last =
        adds_up(*info) ? last_figure(figures_of(table, guesses, c)) : LastFigure::kUnknown;
    has_sum = has_sum || last == LastFigure::kSum;
    if (last == LastFigure::kNoSum || last == LastFigure::kBelowSum) {
      no_sums.push_back(c);
    }
    if (last == LastFigure::kBelowSum) {
      notes_below.push_back(printable(
          fmt::format("table {}: the total of {} is not checked, as it is less than the sum of the "
                      "other rows: they may overlap, or be parts of others",
                      number,
                      yaml_text(table.head[c]))));
    }
  }
  if (name.empty()) {
    return "";
  }
  notes.insert(notes.end(), notes_below.begin(), notes_below.end());
  if (!has_sum) {
    return "";
  }
  for (const std::size_t c : no_sums) {
    guesses[c].is_no_sum = true;
  }
  return name;
}

std::string csv_rows(const DocumentTable& table, const std::vector<std::size_t>& kept) {
  std::string csv;
  for (const std::vector<std::string>& row : table.rows) {
    std::vector<std::string> cells;
    for (const std::size_t c : kept) {
      cells.emplace_back(trimmed(row[c]));
    }
    csv += table_line(cells);
  }
  return csv;
}

// Why the column was not read as what its heading says.
std::string obstacle_note(const Guess& guess, const std::string& heading, int number) {
  const bool is_text = guess.quantity.empty() || guess.quantity == "label";
  return printable(fmt::format("table {}: column {} was read as {} because of {}",
                               number,
                               yaml_text(heading),
                               is_text ? "text" : "plain numbers",
                               guess.obstacle));
}

// The table's part of dataset.yaml; adds its CSV file and what could not be read to the draft, and
// the table to those before it.
std::string draft_table(DocumentTable table,
                        int number,
                        std::vector<DraftedTable>& earlier,
                        Draft& draft) {
  const std::string name =
      plain_name(fmt::format("t{} {}", number, table.section), '_', kLongestName);
  fold_group_rows(table);
  std::vector<Guess> guesses = guess_columns(table);
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    if (printed_head(table, c) != table.head[c]) {
      guesses[c].reason = "nodes times devices in a cell";
    }
  }
  fill_down(table, guesses);
  discover_relations(table, name, guesses);
  const bool is_weak = is_weak_scaling(table, guesses);
  if (is_weak) {
    draft.notes.push_back(
        fmt::format("table {}: taken as weak scaling, because the batch grows as the devices do; "
                    "remove `scaling: weak` if it is not",
                    number));
  }
  const std::string total = tell_total_row(table, number, guesses, draft.notes);
  MeasuredRuns runs = measured_runs(table, guesses);
  const DraftedTable* same = table_of_same_runs(runs, earlier);
  if (same != nullptr) {
    draft.notes.push_back(
        fmt::format("table {}: taken as about the runs of table {}, because both print the same "
                    "figures of them; remove `experiment:` if it is not",
                    number,
                    same->number));
  }
  std::string yaml = fmt::format(
      "  - table: {0}\n    file: {0}.csv\n    where: {1}\n{2}{3}{4}    columns:\n",
      name,
      yaml_text(fmt::format("lines {}-{}{}",
                            table.first_line,
                            table.last_line,
                            table.section.empty() ? "" : ", " + table.section)),
      same == nullptr ? "" : fmt::format("    experiment: {}  # a guess\n", same->experiment),
      is_weak ? "    fixed: {scaling: weak}  # a guess\n" : "",
      total.empty() ? "" : fmt::format("    total_row: {{{}}}  # a guess\n", total));
  std::vector<std::size_t> kept;
  std::vector<std::string> head;
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    if (!guesses[c].obstacle.empty()) {
      draft.notes.push_back(obstacle_note(guesses[c], table.head[c], number));
    }
    if (!guesses[c].note.empty()) {
      draft.notes.push_back(printable(fmt::format("table {}: {}", number, guesses[c].note)));
    }
    if (guesses[c].quantity.empty()) {
      ++draft.left_out_count;
      yaml +=
          fmt::format("      # left out, {}: {}\n", guesses[c].reason, yaml_text(table.head[c]));
      continue;
    }
    ++draft.guess_count;
    kept.push_back(c);
    head.push_back(guesses[c].name);
    yaml += column_text(guesses[c], printed_head(table, c));
  }
  draft.files[name + ".csv"] = printable(table_line(head) + csv_rows(table, kept));
  const std::string experiment = same == nullptr ? name : same->experiment;
  earlier.push_back({number, experiment, std::move(runs)});
  return yaml;
}

}  // namespace

std::string unread_tables(const Document& document) {
  const std::size_t count = document.aligned_lines.size();
  std::vector<std::string> lines;
  for (const int line : document.aligned_lines) {
    lines.push_back(std::to_string(line));
  }
  return count == 0 ? ""
                    : fmt::format(
                          "{} in code (line{} {}) {} not read, because only blanks "
                          "separate columns there; type {} as Markdown or CSV",
                          count == 1 ? "a table" : fmt::format("{} tables", count),
                          count == 1 ? "" : "s",
                          join(lines, ", "),
                          count == 1 ? "was" : "were",
                          count == 1 ? "it" : "them");
}

Draft draft_dataset(const Document& document, const std::string& path) {
  if (document.tables.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: no table found{}",
                    path,
                    !document.aligned_lines.empty() ? " (" + unread_tables(document) + ")"
                    : document.html_table_count > 0
                        ? " (tables of HTML tags are not read; type them as Markdown or CSV)"
                        : " (of GitHub's Markdown, or CSV with a head; type it as one of these)"));
  }
  Draft draft;
  const std::string stem = std::filesystem::path(path).stem().string();
  draft.name = plain_name(stem, '-', kLongestName);
  draft.name = draft.name.empty() ? "document" : draft.name;
  const std::string title = document.title.empty() ? stem : document.title;
  std::string yaml = fmt::format(
      "{}version: 1\ndataset: {}\ntitle: {}\nsource: {{document: {}}}  # add author, date and url\n"
      "tables:\n",
      kAdvice,
      draft.name,
      yaml_text(title),
      yaml_text(title));
  std::vector<DraftedTable> drafted;
  for (const DocumentTable& table : document.tables) {
    if (const std::string why = unread(table); !why.empty()) {
      draft.notes.push_back(why);
    } else {
      yaml += draft_table(table, ++draft.table_count, drafted, draft);
    }
  }
  if (draft.table_count == 0) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", path, draft.notes.front()));
  }
  draft.files["dataset.yaml"] = printable(yaml);
  return draft;
}

}  // namespace scalestudy::audit
