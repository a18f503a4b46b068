#include "harness/cli/results/history_text.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/cells/sessions.h"
#include "harness/cli/terminal.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// What else changed where the changes may be.
std::string coinciding(const Side& all, const std::vector<CellChange>& changes, Format format) {
  std::vector<std::string> lines;
  for (const CellChange& change : changes) {
    for (const std::string& fact : changed_facts(all, change)) {
      const std::string line = format_text(fact, format);
      if (std::ranges::find(lines, line) == lines.end()) {
        lines.push_back(line);
      }
    }
  }
  return lines.empty() ? "Nothing recorded of machine, software and study changed there.\n"
                       : "Recorded there:\n- " + join(lines, "\n- ") + "\n";
}

// "No change found before the last 4 sessions: size 1; size 2."
std::string list_cells(std::string_view what, const std::vector<CellRow>& cells, Format format) {
  std::vector<std::string> names;
  for (const CellRow& cell : cells) {
    names.push_back(format_text(describe_cell(cell), format));
  }
  return fmt::format("{}: {}.", what, list_some(names));
}

}  // namespace

std::string history_text(const Side& all, const History& history, Format format) {
  const std::string apart = format == Format::kMarkdown ? "\n" : "";  // of paragraphs
  std::string text;
  if (!history.changes.empty()) {
    QueryResult table;
    table.columns = {"cell", "from session", "or", "speedup", "p"};
    for (const CellChange& change : history.changes) {
      table.rows.push_back({describe_cell(change.cell),
                            change.session,
                            change.earliest == change.latest
                                ? std::string("-")
                                : fmt::format("{} to {}", change.earliest, change.latest),
                            format_interval({change.speedup, change.speedup_lo, change.speedup_hi},
                                            {.unit = "x", .levels = {1.0}}),
                            format_p_value(change.p_value)});
    }
    text += format_table(table, format, Terminal::columns()) + "\n";
    text += coinciding(all, history.changes, format) + apart;
    text +=
        "Sizes are probably overstated (post-selection): a change is found where it looks "
        "large.\nWhat changed at the same time need not be the cause: measure both side by side in "
        "one study.\n" +
        apart;
  }
  if (!history.steady.empty()) {
    const std::string what =
        fmt::format("No change found before the last {} sessions", kSessionsAsUnit - 1);
    text += list_cells(what, history.steady, format) + "\n" + apart;
  }
  for (const std::string& note : history_notes(history, format)) {
    text += note + "\n" + apart;
  }
  return text;
}

std::vector<std::string> history_notes(const History& history, Format format) {
  std::vector<std::string> notes;
  if (!history.wandering.empty()) {
    std::vector<CellRow> wandering;
    for (const WanderingCell& cell : history.wandering) {
      wandering.push_back(cell.cell);
    }
    notes.push_back(list_cells(
        history.changes.empty()
            ? "Levels differ, but sessions that depend on each other differ as much by chance, so "
              "no change can be told"
            : "Levels differ further, but sessions that depend on each other differ as much by "
              "chance, so no further change can be told",
        wandering,
        format));
  }
  if (!history.short_ones.empty()) {
    notes.push_back(list_cells(
        fmt::format("Fewer than {} sessions, or one without a time, so no change can be told",
                    2 * kSessionsAsUnit),
        history.short_ones,
        format));
  }
  for (const auto& [verdict, cells] : history.no_claim) {
    notes.push_back(list_cells(with_capital(to_word(verdict)), cells, format));
  }
  if (!history.other_definition.empty()) {
    notes.push_back(fmt::format(
        "Left out, as the time of a step is not what it is in the last session of its cell (the "
        "window over its steps, or the mean of these): session {}.",
        fmt::join(history.other_definition, ", ")));
  }
  if (notes.empty() && history.changes.empty() && history.steady.empty()) {
    notes.emplace_back("No cell has trials that count.");
  }
  return notes;
}

}  // namespace scalestudy
