// `history`: when did a study's cells become faster or slower?
#include "harness/analysis/history.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/measure.h"
#include "harness/base/number.h"
#include "harness/base/text.h"
#include "harness/cli/stored_study.h"
#include "harness/cli/verb.h"
#include "harness/store/cell_name.h"

namespace scalestudy {
namespace {

struct HistoryOptions {
  std::string study;
  Format format = Format::kTable;
  bool gate = false;
};

// For programs: every number in full.
QueryResult exact_table(const History& history) {
  QueryResult table;
  table.columns = {
      "cell", "label", "session", "earliest", "latest", "p", "ratio", "ratio_lo", "ratio_hi"};
  const auto number = [](const std::optional<double>& value) {
    return value ? Field(*value) : Field();
  };
  for (const CellChange& change : history.changes) {
    table.rows.push_back({change.cell.hash,
                          describe_cell(change.cell),
                          change.session,
                          change.earliest,
                          change.latest,
                          change.p,
                          number(change.ratio),
                          number(change.lo),
                          number(change.hi)});
  }
  return table;
}

// What else changed where the changes may be.
std::string coinciding(const Side& all, const std::vector<CellChange>& changes) {
  std::vector<std::string> lines;
  for (const CellChange& change : changes) {
    for (std::string& line : changed_facts(all, change.earliest, change.latest)) {
      if (std::ranges::find(lines, line) == lines.end()) {
        lines.push_back(std::move(line));
      }
    }
  }
  return lines.empty() ? "Nothing recorded of machine and software changed there.\n"
                       : "Recorded there:\n- " + join(lines, "\n- ") + "\n";
}

std::string as_text(const Side& all, const History& history, Format format) {
  std::string text;
  if (!history.changes.empty()) {
    QueryResult table;
    table.columns = {"cell", "from session", "or", "speedup", "p"};
    for (const CellChange& change : history.changes) {
      table.rows.push_back(
          {describe_cell(change.cell),
           change.session,
           change.earliest == change.latest
               ? std::string("-")
               : fmt::format("{} to {}", change.earliest, change.latest),
           format_interval({change.ratio, change.lo, change.hi}, {.unit = "x", .levels = {1.0}}),
           format_p_value(change.p)});
    }
    text += format_table(table, format) + "\n";
    text += coinciding(all, history.changes);
    text +=
        "Sizes are post-selection: a change is found where it looks large, so they are rather "
        "overstated.\nWhat coincides is not what caused it: measure both side by side in one "
        "study.\n";
  }
  const auto list = [&](const std::vector<CellRow>& cells, std::string_view what) {
    std::vector<std::string> names;
    for (const CellRow& cell : cells) {
      names.push_back(describe_cell(cell));
    }
    if (!names.empty()) {
      text += fmt::format("{}: {}.\n", what, list_some(names));
    }
  };
  list(history.steady, "No change found");
  list(history.short_ones, "Fewer than 10 sessions, so no change can be told");
  return text;
}

ExitCode show_history(const HistoryOptions& options,
                      const std::string& results,
                      Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  terminal.hide(stored_secrets(store));
  const StudyRow row = stored_study(store, options.study, results);
  std::vector<SessionRow> sessions = store.sessions(row.id);
  if (sessions.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} has no session yet; run it first", row.name));
  }
  const Side all = observe_side(store, row, std::move(sessions));
  const History history = find_history(all, all.study.analysis.confidence);
  terminal.out(options.format == Format::kJson || options.format == Format::kCsv
                   ? format_table(exact_table(history), options.format)
                   : as_text(all, history, options.format));
  if (!options.gate) {
    return ExitCode::kDone;
  }
  // The last change of each cell is what holds now.
  for (std::size_t i = 0; i < history.changes.size(); ++i) {
    const bool is_last = i + 1 == history.changes.size() ||
                         history.changes[i + 1].cell.hash != history.changes[i].cell.hash;
    if (is_last && history.changes[i].ratio.value_or(1.0) < 1.0) {
      return ExitCode::kTargetMissed;
    }
  }
  return history.short_ones.empty() ? ExitCode::kDone : ExitCode::kInconclusive;
}

}  // namespace

Verb history_verb() {
  const auto options = std::make_shared<HistoryOptions>();
  return {
      "history",
      "Find the sessions from which on a study's cells are faster or slower",
      {{"study", &options->study, "Name of a study in the store, or its file"},
       format_option(options->format),
       {"--gate",
        &options->gate,
        "Exit 4 if the last change of a cell made it slower, 5 if one has fewer than 10 sessions",
        "GATE"}},
      "Change points of the sessions' mean step times (E-divisive, five sessions apart or more);\n"
      "a study without a change is given one in 5 % of the times at most.\n"
      "Examples:\n  scalestudy history nightly\n  scalestudy history nightly --gate",
      with_options(options, show_history)};
}

}  // namespace scalestudy
