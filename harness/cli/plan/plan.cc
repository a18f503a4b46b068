// `plan`: what a run would do, and how long it would take.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "harness/analysis/studies/pilot.h"
#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/cli/find_study.h"
#include "harness/cli/plan/plan_history.h"
#include "harness/cli/plan/plan_memory.h"
#include "harness/cli/plan/plan_time.h"
#include "harness/cli/plan/refinement.h"
#include "harness/cli/plan/study_warnings.h"
#include "harness/cli/table.h"
#include "harness/cli/verb.h"
#include "harness/host/system_machine.h"
#include "harness/run/attempt/memory_plan.h"
#include "harness/run/process/process_launcher.h"
#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/parameters/parameters.h"

namespace scalestudy {
namespace {

struct PlanOptions {
  std::string study;
  std::vector<std::string> overrides;
  Format format = Format::kTable;
  bool order = false;     // show every trial in its order
  std::string precision;  // "2%": how many trials it would take; empty: the study's `until`
  std::string budget;     // "8h": as many trials as fit, instead of the study's
};

template <typename T>
Field field(const std::optional<T>& value) {
  return value ? Field(*value) : Field();
}

// trials .. excluded of a row.
struct Outlook {
  std::int64_t trials = 0;
  std::optional<double> trial_s;
  std::optional<PilotOutlook> pilot;
  std::optional<std::string> likely;
  std::optional<std::string> excluded;
};

// What the outlook of every cell is asked for.
struct Question {
  const Study& study;
  const Matrix& matrix;
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
  Outlook outlook{
      .trials = study.trials.count, .trial_s = {}, .pilot = {}, .likely = {}, .excluded = {}};
  if (const auto past = question.history.find(cell.hash); past != question.history.end()) {
    const std::vector<double>& means_s = past->second.step_time_s;
    outlook.trial_s = past->second.mean_wall_s();
    outlook.pilot = pilot_outlook(study, means_s, question.comparisons);
    const std::vector<double> base_s = base_times(cell, question.matrix, question.history);
    if (const auto word = expected_verdict(study, means_s, base_s, question.comparisons)) {
      outlook.likely = *word == stats::VerdictWord::kNoDetectableDifference
                           ? "open"
                           : std::string(stats::format_verdict(*word));
    }
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
          to_word(cell.role),
          cell.label,
          cell.devices,
          field(cell.batch_global),
          field(cell.batch_per_device),
          field(cell.baseline),
          outlook.trials,
          field(outlook.trial_s),
          outlook.pilot ? Field(outlook.pilot->cv) : Field(),
          outlook.pilot ? field(outlook.pilot->half_width) : Field(),
          outlook.pilot ? field(outlook.pilot->detectable) : Field(),
          outlook.pilot ? field(outlook.pilot->trials_for_margin) : Field(),
          field(outlook.likely),
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
                                "half_width",
                                "detectable",
                                "trials_for_margin",
                                "likely",
                                "excluded"},
                    .rows = {}};
  for (const Cell& cell : matrix.cells) {
    table.rows.push_back(cell_row(cell, outlook_of(question, cell)));
  }
  for (const ExcludedCell& excluded : matrix.excluded) {
    table.rows.push_back(cell_row(
        excluded.cell,
        {.trials = 0, .trial_s = {}, .pilot = {}, .likely = {}, .excluded = excluded.reason}));
  }
  if (question.precision) {
    add_precision(table, matrix, question);
  }
  return table;
}

// Where people read, a command's study that has no devices or no batch shows no columns of them.
void drop_unused(QueryResult& table, const Study& study, const Matrix& matrix) {
  if (study.workload != Workload::kCommand) {
    return;
  }
  const auto drop = [&](const std::string& column) {
    const auto at = std::ranges::find(table.columns, column) - table.columns.begin();
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) {
      row.erase(row.begin() + at);
    }
  };
  const auto has = [&](const auto& is_used) { return std::ranges::any_of(matrix.cells, is_used); };
  if (!has([](const Cell& cell) { return cell.parameters.contains("devices"); })) {
    drop("devices");
  }
  if (!has([](const Cell& cell) { return cell.batch_global.has_value(); })) {
    drop("batch_global");
    drop("batch_per_device");
  }
}

QueryResult order_table(const Matrix& matrix, const std::vector<ScheduledTrial>& trials) {
  QueryResult table{.columns = {"position", "block", "cell", "role", "label"}, .rows = {}};
  for (const ScheduledTrial& trial : trials) {
    const Cell& cell = matrix.cells.at(trial.cell);
    table.rows.push_back({std::int64_t{trial.position},
                          std::int64_t{trial.block} + 1,  // as run --blocks counts
                          cell.hash,
                          to_word(cell.role),
                          cell.label});
  }
  return table;
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

// What the largest cell needs; a warning when that is more than there is.
void note_memory(const Study& study, const Matrix& matrix, Terminal& terminal) {
  if (study.workload != Workload::kTrain) {
    return;
  }
  ProcessLauncher launcher;
  const std::optional<MemoryNeed> need =
      plan_memory(study, matrix, workload_program(to_word(study.workload)), launcher);
  if (!need) {
    terminal.note("memory unknown: scalestudy-train --describe did not answer");
    return;
  }
  need->exceeds() ? terminal.warn(memory_text(*need)) : terminal.note(memory_text(*need));
  if (const std::string largest = largest_models_text(*need); !largest.empty()) {
    terminal.note(largest);
  }
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
  const std::string asked =
      fmt::format("trials_for_precision: trials whose interval has a half-width of {:g} %",
                  100.0 * *question.precision);
  if (known == 0) {
    return asked + "; unknown until a cell has two trials that count (a short run is a pilot)";
  }
  return fmt::format(
      "{}, from earlier trials of {} of {} cells; _lo and _hi: with what so few trials leave open "
      "({:g} %)",
      asked,
      known,
      matrix.cells.size(),
      100.0 * question.study.analysis.confidence);
}

ExitCode show_plan(const PlanOptions& options, const std::string& results, Terminal& terminal) {
  Study study = declared_study(options.study, options.overrides, results);
  terminal.hide(secret_values(study));
  if (study.search) {
    study.trials.count = 1;  // each setting has a trial of the race; more is up to what they say
  }
  Matrix matrix = expand(study);
  const History history = read_history(study, results);
  std::string bought;
  if (!options.budget.empty()) {
    const Purchase purchase = trials_within(options.budget, study, matrix, history);
    study.trials.count = purchase.trials;
    matrix = expand(study);
    bought = purchase.text;
  }
  const std::vector<ScheduledTrial> trials = schedule(study, matrix);
  const Question question{.study = study,
                          .matrix = matrix,
                          .history = history,
                          .comparisons = count_comparisons(matrix),
                          .precision = read_precision(options, study)};
  QueryResult table = options.order ? order_table(matrix, trials) : cell_table(matrix, question);
  const bool is_read = options.format == Format::kTable || options.format == Format::kMarkdown;
  if (is_read && !options.order) {
    drop_unused(table, study, matrix);
  }
  terminal.out(format_table(table, options.format));
  terminal.note(
      fmt::format("\n{}: {} cells ({} excluded), {} trials, {}{} order with seed {}",
                  study.name,
                  matrix.cells.size(),
                  matrix.excluded.size(),
                  trials.size(),
                  matrix.scaling == Scaling::kNone ? "" : to_word(matrix.scaling) + " scaling, ",
                  study.order.design == OrderDesign::kBlocks ? "block" : "batch",
                  study.order.seed));
  for (const Cell& cell : matrix.cells) {
    if (!cell.baseline_problem.empty()) {
      terminal.note(fmt::format("{}: no baseline: {}", cell.label, cell.baseline_problem));
    }
  }
  SystemMachine machine;
  for (const std::string& warning : study_warnings(study, matrix, machine)) {
    terminal.warn(warning);
  }
  terminal.note(bought.empty() ? time_text(study, matrix, trials, history) : bought);
  if (const std::string more = refinement_text(study, matrix, history); !more.empty()) {
    terminal.note(more);
  }
  note_floors(study, trials.size(), terminal);
  note_memory(study, matrix, terminal);
  const auto has_run = [&](const Cell& cell) { return history.contains(cell.hash); };
  if (std::ranges::any_of(matrix.cells, has_run)) {
    terminal.note(fmt::format(
        "cv: spread of earlier trials of the cell; half_width: of the interval that {} trials "
        "would "
        "have; detectable: smallest relative difference to another cell that they detect (power "
        "0.8, Holm over {} comparisons); trials_for_margin: trials that detect {:g} %; likely: "
        "what "
        "they say of cell and base with probability 0.8 if earlier trials had the true times",
        study.trials.count,
        std::max<std::int64_t>(question.comparisons, 1),
        100.0 * study.analysis.margin));
    terminal.note(sessions_text(study, matrix, history));
  }
  if (question.precision && !options.order) {
    terminal.note(precision_text(question, matrix));
  }
  return ExitCode::kDone;
}

}  // namespace

Verb plan_verb() {
  const auto options = std::make_shared<PlanOptions>();
  return {
      "plan",
      VerbGroup::kStart,
      "Show what a run would do and how long it would take",
      {{"study",
        &options->study,
        "Study file (- is standard input), or name of a study in the store"},
       {"--order", &options->order, "List every trial in its order instead of the cells", "ORDER"},
       {"--precision",
        &options->precision,
        "Show how many trials an interval of this half-width needs, e.g. 2%"},
       {"--budget",
        &options->budget,
        "Plan as many trials of each cell as this time buys, e.g. 8h"},
       override_option(options->overrides),
       format_option(options->format)},
      "Examples:\n  scalestudy plan studies/quickstart.yaml\n"
      "  scalestudy plan studies/quickstart.yaml --order --format csv\n"
      "  scalestudy plan studies/quickstart.yaml --precision 1%\n"
      "  scalestudy plan quickstart --budget 8h",
      with_options(options, show_plan)};
}

}  // namespace scalestudy
