// `history`: when did a study's cells become faster or slower?
#include "harness/analysis/studies/history.h"

#include <fmt/format.h>

#include "harness/analysis/cells/sessions.h"
#include "harness/cli/find_study.h"
#include "harness/cli/results/history_text.h"
#include "harness/cli/stored_secrets.h"
#include "harness/cli/verb.h"
#include "harness/store/rows/imported.h"
#include "harness/text/json.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct HistoryOptions {
  std::string study;
  Format format = Format::kTable;
  bool gate = false;
};

bool is_slower(const CellChange& change) {
  return change.speedup.value_or(1.0) < 1.0;
}

// For programs: every number in full. A cell without a change has a row without one.
QueryResult exact_table(const Side& all, const History& history) {
  QueryResult table;
  table.columns = {"cell",
                   "label",
                   "session",
                   "earliest",
                   "latest",
                   "p_value",
                   "speedup",
                   "speedup_lo",
                   "speedup_hi",
                   "verdict",
                   "recorded"};
  for (const CellChange& change : history.changes) {
    table.rows.push_back({change.cell.hash,
                          change.cell.label,
                          change.session,
                          change.earliest,
                          change.latest,
                          change.p_value,
                          number_field(change.speedup),
                          number_field(change.speedup_lo),
                          number_field(change.speedup_hi),
                          to_word(is_slower(change) ? Verdict::kSlower : Verdict::kFaster),
                          join(changed_facts(all, change), "; ")});
  }
  const auto add = [&](const CellRow& cell, const std::string& verdict) {
    std::vector<Field> row(table.columns.size());
    row.at(0) = cell.hash;
    row.at(1) = cell.label;
    row.rbegin()[1] = verdict;
    table.rows.push_back(std::move(row));
  };
  for (const CellRow& cell : history.steady) {
    add(cell, to_word(Verdict::kNoDetectableDifference));
  }
  for (const WanderingCell& cell : history.wandering) {
    add(cell.cell, to_word(TargetVerdict::kUndecided));
  }
  for (const CellRow& cell : history.short_ones) {
    add(cell, to_word(Verdict::kNotEnoughData));
  }
  for (const auto& [verdict, cells] : history.no_claim) {
    for (const CellRow& cell : cells) {
      add(cell, to_word(verdict));
    }
  }
  return table;
}

// The rows, with what is recorded of each change as a list, which is empty without a change.
std::string as_json(const Side& all, const History& history) {
  JsonText rows = JsonText::list();
  const JsonText table = json_rows(exact_table(all, history));
  for (const auto& [name, of_table] : table.members()) {
    JsonText row = of_table;
    const std::size_t i = rows.members().size();
    row["recorded"] =
        JsonText::list_of(i < history.changes.size() ? changed_facts(all, history.changes[i])
                                                     : std::vector<std::string>());
    rows.push_back(row);
  }
  return rows.dump(2) + "\n";
}

ExitCode show_history(const HistoryOptions& options,
                      const std::string& results,
                      Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  terminal.hide(stored_secrets(store));
  const StudyRow row = stored_study(store, options.study, results);
  std::vector<SessionRow> sessions = store.sessions(row.id);
  if (sessions.empty()) {
    const bool is_imported = imported_of(store.trials(row.id)).has_value();
    throw Error(ErrorKind::kUsage,
                fmt::format("{} {}",
                            row.name,
                            is_imported ? "is imported from logs, which tell no sessions"
                                        : "has no session yet; run it first"));
  }
  const Side all = observe_side(store, row, std::move(sessions));
  const History history = find_history(all, all.study.analysis.confidence);
  if (options.format == Format::kJson || options.format == Format::kCsv) {
    terminal.out(options.format == Format::kJson
                     ? as_json(all, history)
                     : format_table(exact_table(all, history), Format::kCsv));
    for (const std::string& note : history_notes(history, options.format)) {
      terminal.note(note);
    }
  } else {
    terminal.out(history_text(all, history, options.format));
  }
  if (!options.gate) {
    return ExitCode::kDone;
  }
  // The last change of each cell is what holds now.
  for (std::size_t i = 0; i < history.changes.size(); ++i) {
    const bool is_last = i + 1 == history.changes.size() ||
                         history.changes[i + 1].cell.hash != history.changes[i].cell.hash;
    if (is_last && is_slower(history.changes[i])) {
      return ExitCode::kTargetMissed;
    }
  }
  return history.short_ones.empty() && history.wandering.empty() && history.no_claim.empty()
             ? ExitCode::kDone
             : ExitCode::kInconclusive;
}

}  // namespace

Verb history_verb() {
  const auto options = std::make_shared<HistoryOptions>();
  return {
      "history",
      VerbGroup::kCompare,
      "Find the session from which on a study's cells are faster or slower",
      {{"study", &options->study, "Name of a study in the store, or its file"},
       format_option(options->format),
       {"--gate",
        &options->gate,
        fmt::format(
            "Exit 4 if the last change of a cell made it slower, 5 if no change can be told in "
            "one (fewer than {} sessions, sessions that depend on each other, or no performance "
            "claim)",
            2 * kSessionsAsUnit),
        "GATE"}},
      fmt::format("Finds change points of the sessions' mean step times (E-divisive). At most 5 % "
                  "of studies\nwithout a change are given one. It takes {} sessions after a change "
                  "to find it, fewer\nif it is large.\n"
                  "In json and csv, the column verdict is faster or slower for a change. A cell "
                  "without a\nchange has one row: no significant difference, not enough data or no "
                  "performance claim.\nundecided means that its sessions depend on each other, so "
                  "no (further) change can be\ntold.\n"
                  "Examples:\n  scalestudy history nightly\n  scalestudy history nightly --gate",
                  kSessionsAsUnit),
      with_options(options, show_history)};
}

}  // namespace scalestudy
