// `plan`: what a run would do, and how long it would take.
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/cli/table.h"
#include "harness/cli/verbs.h"
#include "harness/store/store.h"
#include "harness/study/matrix.h"
#include "harness/study/parse.h"

namespace scalestudy {
namespace {

// Mean wall time of earlier ok trials by cell hash; a cell keeps its hash across studies and edits.
using History = std::map<std::string, double>;

History read_history(const std::string& results) {
  History history;
  if (!std::filesystem::exists(std::filesystem::path(results) / "results.db")) {
    return history;
  }
  const Store store = Store::open_read_only(results);
  const QueryResult rows = store.query(
      "SELECT cell.hash, avg(trial.wall_s) FROM trial JOIN cell ON cell.id = trial.cell_id "
      "WHERE trial.state = 'ok' AND trial.wall_s IS NOT NULL GROUP BY cell.hash");
  for (const std::vector<Field>& row : rows.rows) {
    history[std::get<std::string>(row.at(0))] = std::get<double>(row.at(1));
  }
  return history;
}

Field field(const std::optional<std::int64_t>& value) {
  return value ? Field(*value) : Field();
}

std::vector<Field> cell_row(const Cell& cell, Field trials, Field trial_s, Field excluded) {
  return {cell.hash,
          format_cell_role(cell.role),
          cell.label,
          cell.devices,
          field(cell.batch_global),
          field(cell.batch_per_device),
          cell.baseline ? Field(*cell.baseline) : Field(),
          std::move(trials),
          std::move(trial_s),
          std::move(excluded)};
}

QueryResult cell_table(const Study& study, const Matrix& matrix, const History& history) {
  QueryResult table{.columns = {"cell",
                                "role",
                                "label",
                                "devices",
                                "batch_global",
                                "batch_per_device",
                                "baseline",
                                "trials",
                                "trial_s",
                                "excluded"},
                    .rows = {}};
  for (const Cell& cell : matrix.cells) {
    const auto known = history.find(cell.hash);
    table.rows.push_back(cell_row(cell,
                                  std::int64_t{study.trials.count},
                                  known == history.end() ? Field() : Field(known->second),
                                  Field()));
  }
  for (const ExcludedCell& excluded : matrix.excluded) {
    table.rows.push_back(cell_row(excluded.cell, std::int64_t{0}, Field(), excluded.reason));
  }
  return table;
}

QueryResult order_table(const Matrix& matrix, const std::vector<ScheduledTrial>& trials) {
  QueryResult table{.columns = {"position", "block", "cell", "role", "label"}, .rows = {}};
  for (const ScheduledTrial& trial : trials) {
    const Cell& cell = matrix.cells.at(trial.cell);
    table.rows.push_back({std::int64_t{trial.position},
                          std::int64_t{trial.block},
                          cell.hash,
                          format_cell_role(cell.role),
                          cell.label});
  }
  return table;
}

// The time from earlier trials of these cells; the limits' bound when none has run.
std::string time_text(const Study& study,
                      const Matrix& matrix,
                      const std::vector<ScheduledTrial>& trials,
                      const History& history) {
  double known_s = 0.0;
  std::size_t known = 0;
  for (const ScheduledTrial& trial : trials) {
    const auto entry = history.find(matrix.cells.at(trial.cell).hash);
    if (entry != history.end()) {
      known_s += entry->second;
      ++known;
    }
  }
  if (known == 0) {
    return fmt::format(
        "time unknown until a trial has run; at most {} (every trial at its timeout)",
        format_duration(study.limits.timeout_s * static_cast<double>(trials.size())));
  }
  const double mean_s = known_s / static_cast<double>(known);
  const double total_s = known_s + mean_s * static_cast<double>(trials.size() - known);
  return fmt::format("about {}, from earlier trials of {} of {} trials' cells",
                     format_duration(total_s),
                     known,
                     trials.size());
}

}  // namespace

ExitCode show_plan(const PlanOptions& options, const std::string& results, Terminal& terminal) {
  const Study study = load_study(options.study, options.overrides);
  const Matrix matrix = expand(study);
  const std::vector<ScheduledTrial> trials = schedule(study, matrix);
  const History history = read_history(results);
  const QueryResult table =
      options.order ? order_table(matrix, trials) : cell_table(study, matrix, history);
  terminal.out(format_table(table, options.format));
  terminal.note(
      fmt::format("\n{}: {} cells ({} excluded), {} trials, {} scaling, {} order with seed {}",
                  study.name,
                  matrix.cells.size(),
                  matrix.excluded.size(),
                  trials.size(),
                  format_scaling(matrix.scaling),
                  study.order.design == OrderDesign::kBlocks ? "block" : "batch",
                  study.order.seed));
  for (const Cell& cell : matrix.cells) {
    if (!cell.baseline_problem.empty()) {
      terminal.note(fmt::format("{}: no baseline: {}", cell.label, cell.baseline_problem));
    }
  }
  terminal.note(time_text(study, matrix, trials, history));
  return ExitCode::kDone;
}

}  // namespace scalestudy
