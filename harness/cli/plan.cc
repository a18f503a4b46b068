// `plan`: what a run would do, and how long it would take.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "harness/analysis/pilot.h"
#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/text.h"
#include "harness/cli/table.h"
#include "harness/cli/verbs.h"
#include "harness/run/memory_plan.h"
#include "harness/run/process_launcher.h"
#include "harness/store/store.h"
#include "harness/study/matrix.h"
#include "harness/study/parse.h"
#include "harness/study/quantity.h"
#include "workloads/protocol/parameters.h"

namespace scalestudy {
namespace {

// Earlier ok trials of a cell.
struct Past {
  std::vector<double> wall_s;       // as they would take with the study's steps
  std::vector<double> step_time_s;  // means of the trials that had the study's steps

  double mean_wall_s() const {
    return std::accumulate(wall_s.begin(), wall_s.end(), 0.0) / static_cast<double>(wall_s.size());
  }
};

// By cell hash; a cell keeps its hash across studies and edits.
using History = std::map<std::string, Past>;

// Ids of the studies whose trials run what this study's would. A cell's hash names the parameters,
// which are all of a built-in workload; of a command they are what is put into it.
std::set<std::int64_t> studies_like(const Study& study, const Store& store) {
  std::set<std::int64_t> ids;
  for (const StudyRow& row : store.studies()) {
    if (study.workload != "command" ||
        parse_stored_study(row.source_text, row.source_path).command == study.command) {
      ids.insert(row.id);
    }
  }
  return ids;
}

// Steps that a time adds to a phase, at most; nobody knows of a command.
double most_timed_steps(const Study& study) {
  return study.workload == "command" ? HUGE_VAL : static_cast<double>(protocol::kMostSteps);
}

// A step more or less takes its mean step time; the rest of a trial stays as it is.
double wall_with_steps(double wall_s, double mean_step_s, std::int64_t steps, const Study& study) {
  const auto planned = [&](int least, double time_s) {
    return std::max<double>(least,
                            std::min(std::ceil(time_s / mean_step_s), most_timed_steps(study)));
  };
  const double all = planned(study.steps.warmup, study.steps.warmup_time_s) +
                     planned(study.steps.measured, study.steps.measured_time_s);
  return std::max(0.0, wall_s + (all - static_cast<double>(steps)) * mean_step_s);
}

// Whether a trial of so many steps could be one of this study. Its last measured step may be cut
// off by a warm-up that was a little slower.
bool has_steps_of(const Study& study,
                  std::int64_t warmup,
                  std::int64_t measured,
                  double mean_step_s) {
  const Steps& floors = study.steps;
  if (!floors.has_times()) {
    return warmup == floors.warmup && measured == floors.measured;
  }
  constexpr double most_cut = 0.8;
  return warmup >= floors.warmup && measured >= floors.measured &&
         (static_cast<double>(measured) >= most_timed_steps(study) ||
          static_cast<double>(measured) * mean_step_s >= most_cut * floors.measured_time_s);
}

History read_history(const Study& study, const std::string& results) {
  History history;
  if (!std::filesystem::exists(std::filesystem::path(results) / "results.db")) {
    return history;
  }
  const Store store = Store::open_read_only(results);
  const QueryResult rows = store.query(
      "SELECT trial.study_id, cell.hash, trial.wall_s, step_times.step_time_s, step_times.steps, "
      "step_times.warmup FROM trial JOIN cell ON cell.id = trial.cell_id "
      "JOIN step_times ON step_times.trial = trial.id "
      "WHERE trial.state = 'ok' AND trial.wall_s IS NOT NULL "
      "AND step_times.step_time_s IS NOT NULL ORDER BY trial.id");
  const std::set<std::int64_t> studies = studies_like(study, store);
  for (const std::vector<Field>& row : rows.rows) {
    if (!studies.contains(std::get<std::int64_t>(row.at(0)))) {
      continue;
    }
    const double mean_s = std::get<double>(row.at(3));
    const std::int64_t measured = std::get<std::int64_t>(row.at(4));
    const std::int64_t warmup = std::get<std::int64_t>(row.at(5));
    Past& past = history[std::get<std::string>(row.at(1))];
    past.wall_s.push_back(
        wall_with_steps(std::get<double>(row.at(2)), mean_s, measured + warmup, study));
    // The mean of more steps varies less from trial to trial.
    if (has_steps_of(study, warmup, measured, mean_s)) {
      past.step_time_s.push_back(mean_s);
    }
  }
  return history;
}

template <typename T>
Field field(const std::optional<T>& value) {
  return value ? Field(*value) : Field();
}

// trials .. excluded of a row.
struct Outlook {
  std::int64_t trials = 0;
  std::optional<double> trial_s;
  std::optional<PilotOutlook> pilot;
  std::optional<std::string> excluded;
};

// What the outlook of every cell is asked for.
struct Question {
  const Study& study;
  const History& history;
  std::int64_t comparisons = 0;
  std::optional<double> precision;  // relative half-width
};

// Cells that have another one to be compared with.
std::int64_t count_comparisons(const Matrix& matrix) {
  return std::count_if(matrix.cells.begin(), matrix.cells.end(), [](const Cell& cell) {
    return cell.role == CellRole::kMeasured && cell.baseline && *cell.baseline != cell.hash;
  });
}

Outlook outlook_of(const Question& question, const Cell& cell) {
  const Study& study = question.study;
  Outlook outlook{.trials = study.trials.count, .trial_s = {}, .pilot = {}, .excluded = {}};
  if (const auto past = question.history.find(cell.hash); past != question.history.end()) {
    const std::vector<double>& means_s = past->second.step_time_s;
    outlook.trial_s = past->second.mean_wall_s();
    outlook.pilot = pilot_outlook(study, means_s, question.comparisons);
  }
  return outlook;
}

// For the precision asked for; absent without a pilot of two trials.
std::optional<TrialsNeeded> needed_of(const Question& question, const Cell& cell) {
  const auto past = question.history.find(cell.hash);
  return past == question.history.end()
             ? std::nullopt
             : trials_for_precision(
                   question.study, past->second.step_time_s, question.precision.value_or(0.0));
}

std::vector<Field> cell_row(const Cell& cell, const Outlook& outlook) {
  return {cell.hash,
          format_cell_role(cell.role),
          cell.label,
          cell.devices,
          field(cell.batch_global),
          field(cell.batch_per_device),
          field(cell.baseline),
          outlook.trials,
          field(outlook.trial_s),
          outlook.pilot ? Field(outlook.pilot->cv) : Field(),
          outlook.pilot ? field(outlook.pilot->detectable) : Field(),
          outlook.pilot ? field(outlook.pilot->trials_for_margin) : Field(),
          field(outlook.excluded)};
}

// Columns for the precision asked for, before the last one.
void add_precision(QueryResult& table, const Matrix& matrix, const Question& question) {
  table.columns.insert(
      table.columns.end() - 1,
      {"trials_for_precision", "trials_for_precision_lo", "trials_for_precision_hi"});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TrialsNeeded needed = i < matrix.cells.size()
                                    ? needed_of(question, matrix.cells[i]).value_or(TrialsNeeded{})
                                    : TrialsNeeded{};
    table.rows[i].insert(table.rows[i].end() - 1,
                         {field(needed.n), field(needed.lo), field(needed.hi)});
  }
}

QueryResult cell_table(const Matrix& matrix, const Question& question) {
  QueryResult table{.columns = {"cell",
                                "role",
                                "label",
                                "devices",
                                "batch_global",
                                "batch_per_device",
                                "baseline",
                                "trials",
                                "trial_s",
                                "cv",
                                "detectable",
                                "trials_for_margin",
                                "excluded"},
                    .rows = {}};
  for (const Cell& cell : matrix.cells) {
    table.rows.push_back(cell_row(cell, outlook_of(question, cell)));
  }
  for (const ExcludedCell& excluded : matrix.excluded) {
    table.rows.push_back(cell_row(
        excluded.cell, {.trials = 0, .trial_s = {}, .pilot = {}, .excluded = excluded.reason}));
  }
  if (question.precision) {
    add_precision(table, matrix, question);
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
      known_s += entry->second.mean_wall_s();
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

// What floors in time cost, whatever a step takes.
void note_floors(const Study& study, std::size_t trials, Terminal& terminal) {
  const Steps& steps = study.steps;
  if (!steps.has_times()) {
    return;
  }
  const double least_s =
      static_cast<double>(trials) * (steps.warmup_time_s + steps.measured_time_s);
  const double most_s = least_s + 3.0 * static_cast<double>(trials) * steps.warmup_time_s;
  terminal.note(
      fmt::format("floors in time: a warm-up of at least {} and {} steps, then at least {} (at "
                  "most 10,000 steps) and {} steps measured: at least {} in all; {} where no steps "
                  "settle, and more where fewer than 60 of them take four times the warm-up",
                  format_duration(steps.warmup_time_s),
                  steps.warmup,
                  format_duration(steps.measured_time_s),
                  steps.measured,
                  format_duration(least_s),
                  format_duration(most_s)));
}

std::string size_text(double bytes) {
  constexpr double gigabyte = 1e9;
  constexpr double megabyte = 1e6;
  return bytes >= gigabyte ? fmt::format("{:.1f} GB", bytes / gigabyte)
                           : fmt::format("{:.1f} MB", bytes / megabyte);
}

// What the largest cell needs; a warning when that is more than there is.
void note_memory(const Study& study, const Matrix& matrix, Terminal& terminal) {
  if (study.workload != "train") {
    return;
  }
  ProcessLauncher launcher;
  const std::optional<MemoryNeed> need =
      plan_memory(study, matrix, workload_program(study.workload), launcher);
  if (!need) {
    terminal.note("memory unknown: scalestudy-train --describe did not answer");
    return;
  }
  const bool exceeds = need->available_bytes && need->total_bytes() > *need->available_bytes;
  const std::string text =
      fmt::format("memory: at most {}, {} rank{} of {} each (estimate, {}){}",
                  size_text(need->total_bytes()),
                  need->ranks,
                  need->ranks == 1 ? "" : "s",
                  size_text(need->bytes_per_rank),
                  need->label,
                  need->available_bytes
                      ? fmt::format("; {} are available now", size_text(*need->available_bytes))
                      : "; not compared with a GPU's");
  terminal.note(exceeds ? terminal.styled_err(Style::kWarn, "warning: ") + text +
                              ": trials of this cell will end as oom"
                        : text);
}

// The precision asked for: the option, else the study's `until`, else none.
std::optional<double> read_precision(const PlanOptions& options, const Study& study) {
  if (options.precision.empty()) {
    return study.trials.until;
  }
  const Quantity asked = parse_percent(options.precision);
  if (!asked.value || !(*asked.value > 0.0)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--precision {}: needs a percentage above 0, e.g. 2%", options.precision));
  }
  return asked.value;
}

std::string precision_text(const Question& question, const Matrix& matrix) {
  const auto known = std::count_if(matrix.cells.begin(), matrix.cells.end(), [&](const Cell& cell) {
    return needed_of(question, cell).has_value();
  });
  const std::string asked = fmt::format(
      "trials_for_precision: trials whose interval has a "
      "half-width of {:g} %",
      100.0 * *question.precision);
  if (known == 0) {
    return asked + "; unknown until a cell has two trials that count (a short run is a pilot)";
  }
  return fmt::format(
      "{}, from earlier trials of {} of {} cells; _lo and _hi: with what so few "
      "trials leave open ({:g} %)",
      asked,
      known,
      matrix.cells.size(),
      100.0 * question.study.analysis.confidence);
}

}  // namespace

ExitCode show_plan(const PlanOptions& options, const std::string& results, Terminal& terminal) {
  const Study study = load_study(options.study, options.overrides);
  const Matrix matrix = expand(study);
  const std::vector<ScheduledTrial> trials = schedule(study, matrix);
  const History history = read_history(study, results);
  const Question question{.study = study,
                          .history = history,
                          .comparisons = count_comparisons(matrix),
                          .precision = read_precision(options, study)};
  const QueryResult table =
      options.order ? order_table(matrix, trials) : cell_table(matrix, question);
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
  note_floors(study, trials.size(), terminal);
  note_memory(study, matrix, terminal);
  if (!history.empty()) {
    terminal.note(fmt::format(
        "cv: spread of earlier trials of the cell; detectable: smallest relative difference to "
        "another cell that {} trials detect (power 0.8, Holm over {} comparisons); "
        "trials_for_margin: trials that detect {:g} %",
        study.trials.count,
        std::max<std::int64_t>(question.comparisons, 1),
        100.0 * study.analysis.margin));
  }
  if (question.precision && !options.order) {
    terminal.note(precision_text(question, matrix));
  }
  return ExitCode::kDone;
}

}  // namespace scalestudy
