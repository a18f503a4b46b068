// `plan`: what a run would do, and how long it would take.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "harness/analysis/studies/gate_noise.h"
#include "harness/analysis/studies/pilot.h"
#include "harness/analysis/studies/sides.h"
#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/cli/find_study.h"
#include "harness/cli/plan/plan_history.h"
#include "harness/cli/plan/plan_memory.h"
#include "harness/cli/plan/plan_table.h"
#include "harness/cli/plan/plan_time.h"
#include "harness/cli/plan/refinement.h"
#include "harness/cli/plan/study_warnings.h"
#include "harness/cli/table.h"
#include "harness/cli/verb.h"
#include "harness/host/system_machine.h"
#include "harness/run/attempt/memory_plan.h"
#include "harness/run/process/process_launcher.h"
#include "harness/run/study_changes.h"
#include "harness/store/added.h"
#include "harness/store/rows/imported.h"
#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/secret.h"
#include "harness/submit/allocation.h"
#include "harness/text/number.h"
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

// The comparisons that a verdict will be adjusted for: those with a baseline; where the best cell
// is chosen among them, those with the best as well (METHODS.md, Families).
std::int64_t count_comparisons(const Study& study, const Matrix& matrix) {
  std::map<std::string, std::int64_t> with_baseline;
  for (const Cell& cell : matrix.cells) {
    if (cell.role == CellRole::kMeasured && cell.baseline && *cell.baseline != cell.hash) {
      ++with_baseline[*cell.baseline];
    }
  }
  const bool is_best_chosen =
      !study.search &&
      std::ranges::any_of(with_baseline, [](const auto& entry) { return entry.second > 1; });
  std::int64_t all = 0;
  for (const auto& [baseline, count] : with_baseline) {
    all += is_best_chosen ? 2 * count - 1 : count;
  }
  return all;
}

// - is_read: by people, for whom blocks count from 1, as `run --blocks` has them.
QueryResult order_table(const Matrix& matrix,
                        const std::vector<ScheduledTrial>& trials,
                        bool is_read) {
  QueryResult table{.columns = {"position", "block", "cell", "role", "label"}, .rows = {}};
  for (const ScheduledTrial& trial : trials) {
    const Cell& cell = matrix.cells.at(trial.cell);
    table.rows.push_back({std::int64_t{trial.position},
                          std::int64_t{trial.block} + (is_read ? 1 : 0),
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
      fmt::format("steps: a warm-up of at least {} and {} steps, then at least {} (at most 10,000 "
                  "steps) and {} measured steps. All trials together take at least {}, and {} if "
                  "no step times settle.",
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
    terminal.note("memory: unknown, because scalestudy-train --describe did not answer");
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
  if (!asked.value || !(*asked.value > 0.0 && *asked.value < 1.0)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--precision {}: needs a percentage between 0% and 100%, e.g. 2%",
                            options.precision));
  }
  return asked.value;
}

std::string precision_text(const PlanQuestion& question, const Matrix& matrix) {
  const auto known = std::count_if(matrix.cells.begin(), matrix.cells.end(), [&](const Cell& cell) {
    return trials_needed(question, cell).has_value();
  });
  const std::string asked =
      fmt::format("trials for ±{0}: how many trials give an interval with a half-width of {0}",
                  format_percent(*question.precision));
  return known == 0
             ? asked + "; unknown until a cell has two trials that count (a short run is a pilot)."
             : fmt::format(
                   "{}, from earlier trials of {} of {} cells; in brackets what so few "
                   "trials leave open ({}).",
                   asked,
                   known,
                   matrix.cells.size(),
                   format_percent(question.study.analysis.confidence));
}

std::optional<Imported> imported_trials(const std::string& study, const std::string& results) {
  if (!Store::exists(results)) {
    return std::nullopt;
  }
  const Store store = Store::open_read_only(results);
  const std::optional<StudyRow> known = store.find_study(study);
  return known ? imported_of(store.trials(known->id)) : std::nullopt;
}

// How often a gate of the study's margin fires by chance, by the sessions that the store has of it.
std::string gate_text(const Study& study, const std::string& results) {
  const Store store = Store::open_read_only(results);
  const std::optional<StudyRow> row = store.find_study(study.name);
  const std::vector<SessionRow> sessions =
      row ? store.sessions(row->id) : std::vector<SessionRow>();
  if (sessions.empty()) {
    return "";
  }
  const Side side = observe_side(store, *row, sessions);
  return gate_sentence(gate_report({&side.observation}, study));
}

// What jobs of the study hold of a cluster; "" if all cells have one node.
std::string held_text(const Study& study, const Matrix& matrix, const PlanHistory& history) {
  const auto wall_s = [&](const Cell& cell) {
    const auto past = history.find(cell.hash);
    return past == history.end() ? std::nullopt : std::optional(past->second.mean_time_s());
  };
  return allocation_text(
      study,
      planned_allocation(study, matrix, wall_s, [](const Cell&, std::int64_t) { return true; }),
      /*is_over=*/false);
}

// What is known to go wrong if it runs like this.
void warn_of(const Study& study,
             const Matrix& matrix,
             const std::string& results,
             Terminal& terminal) {
  SystemMachine machine;
  for (const std::string& warning : study_warnings(study, matrix, machine)) {
    terminal.warn(warning);
  }
  for (const std::string& warning : source_warnings(study, results)) {
    terminal.warn(warning);
  }
  if (const std::optional<Imported> imported = imported_trials(study.name, results)) {
    terminal.warn(
        fmt::format("{} of this study are imported from logs, so `run` refuses it; give "
                    "it another name to run it",
                    format_count(imported->trials, "trial")));
  } else if (Store::exists(results)) {
    if (const std::string why = changed_text(study, Store::open_read_only(results)); !why.empty()) {
      terminal.warn("`run` will refuse: " + why);
    }
  }
}

// What the columns of the table mean that earlier trials fill, and what these trials say of
// sessions.
void note_history(const PlanQuestion& question, const std::string& results, Terminal& terminal) {
  const Study& study = question.study;
  const auto has_run = [&](const Cell& cell) { return question.history.contains(cell.hash); };
  if (std::ranges::none_of(question.matrix.cells, has_run)) {
    return;
  }
  if (knows_spread(question)) {
    terminal.note(fmt::format(
        "By earlier trials. spread: how much trials of a cell in one session differ. half-width: "
        "of the interval that {} give. detects: the smallest difference between two cells that "
        "they show with a probability of 0.8, allowing for {}. trials for {}: how many trials "
        "detect such a difference. likely: the verdict that they give with a probability of 0.8.",
        format_count(study.trials.count, "trial"),
        format_count(std::max<std::int64_t>(question.comparisons, 1), "comparison"),
        format_percent(study.analysis.margin)));
  }
  terminal.note(sessions_text(study, question.matrix, question.history));
  if (const std::string noise = gate_text(study, results); !noise.empty()) {
    terminal.note(noise);
  }
}

ExitCode show_plan(const PlanOptions& options, const std::string& results, Terminal& terminal) {
  Study study = declared_study(options.study, options.overrides, results);
  terminal.hide(secret_values(study));
  if (Store::exists(results)) {
    study = with_additions(std::move(study), Store::open_read_only(results));
  }
  if (study.search) {
    study.trials.count = 1;  // each setting has a trial of the race; more is up to what they say
  }
  Matrix matrix = expand(study);
  const PlanHistory history = read_history(study, results);
  std::string bought;
  if (!options.budget.empty()) {
    const Purchase purchase = trials_within(options.budget, study, matrix, history, results);
    study.trials.count = purchase.trials;
    matrix = expand(study);
    bought = purchase.text;
  }
  const std::vector<ScheduledTrial> trials = schedule(study, matrix);
  const TrialCounts left = trials_left(study, matrix, trials, results);
  const PlanQuestion question{.study = study,
                              .matrix = matrix,
                              .history = history,
                              .left = study.search ? TrialCounts() : left,
                              .comparisons = count_comparisons(study, matrix),
                              .precision = read_precision(options, study)};
  terminal.note(plan_sentence(study, matrix, trials.size(), sum_of(left)));
  terminal.note(bought.empty()
                    ? time_text(study, matrix, count_trials(matrix, trials), left, history)
                    : bought);
  terminal.note("");
  const bool is_read = options.format == Format::kTable || options.format == Format::kMarkdown;
  terminal.out(
      options.order
          ? format_table(order_table(matrix, trials, is_read), options.format, Terminal::columns())
      : is_read ? readable_plan(question, options.format, Terminal::columns())
                : format_table(exact_plan(question), options.format));
  terminal.note("");
  warn_of(study, matrix, results, terminal);
  if (const std::string more = refinement_text(study, matrix, history); !more.empty()) {
    terminal.note(more);
  }
  if (const std::string held = held_text(study, matrix, history); !held.empty()) {
    terminal.note(held);
  }
  note_floors(study, trials.size(), terminal);
  note_memory(study, matrix, terminal);
  note_history(question, results, terminal);
  if (question.precision && (!options.order || !options.precision.empty())) {
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
       {"--order",
        &options->order,
        "List every trial in its order instead of the cells. Blocks count from 1, in json and csv "
        "from 0, as the column trials.block does",
        "ORDER"},
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
