#include "tests/report/simulated_studies.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/observe/observe.h"
#include "harness/analysis/thresholds/refine.h"
#include "harness/report/figures/figures.h"
#include "harness/report/files/csv.h"
#include "harness/report/input/input.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/template.h"
#include "harness/store/results_json.h"
#include "tests/report/contradictions.h"
#include "tests/support/planned_study.h"

namespace scalestudy::test {
namespace {

constexpr double kBaseS = 1e-3;  // a step of the base at the smallest batch
constexpr std::int64_t kFirstBatch = 16;
constexpr std::size_t kMostAdded = 2;  // batches of a search: `max_cells` over a cell and its base

// A study as it is drawn, and what is true of it.
struct Drawn {
  std::size_t cells = 2;   // of a problem, the base included
  std::size_t values = 2;  // problems: batches
  std::size_t trials = 3;
  double noise = 0.04;
  bool has_slow = false;
  bool is_of_devices = true;
  std::vector<double> slope;     // by cell but the base: of ln speedup, a doubling of the batch
  std::vector<double> crossing;  // in doublings of the first batch

  // - doublings: of the first batch
  double truth(std::size_t cell, double doublings) const {
    return cell == 0 ? 0.0 : slope[cell - 1] * (doublings - crossing[cell - 1]);
  }

  // Whether the study adds batches to find its break-even: it has the cells and trials which that
  // takes.
  bool refines() const { return cells == 2 && is_of_devices && values >= 5 && trials >= 8; }
};

std::size_t draw(Noise& noise, std::size_t from, std::size_t to) {
  return from +
         std::min(to - from,
                  static_cast<std::size_t>(noise.uniform() * static_cast<double>(to - from + 1)));
}

Drawn draw_study(Noise& noise) {
  Drawn drawn;
  const bool is_of_two = noise.uniform() < 0.5;
  drawn.cells = is_of_two ? 2 : draw(noise, 3, 8);
  const std::size_t most = 12 / (drawn.cells - 1);
  drawn.values = is_of_two ? draw(noise, 2, 12) : draw(noise, 1, std::max<std::size_t>(most, 1));
  drawn.trials = draw(noise, 3, 20);
  drawn.noise = noise.uniform() < 0.5 ? 0.04 : 0.10;
  drawn.has_slow = noise.uniform() < 0.4;
  drawn.is_of_devices = drawn.cells <= 4 && noise.uniform() < 0.7;
  const double se = drawn.noise * std::sqrt(2.0 / static_cast<double>(drawn.trials));
  const double kind = noise.uniform();
  const std::size_t close = draw(noise, 1, drawn.cells - 1);
  for (std::size_t cell = 1; cell < drawn.cells; ++cell) {
    const double slope = kind < 0.25 ? 0.0 : 0.05 + 0.35 * noise.uniform();
    const auto span = static_cast<double>(drawn.values - 1);
    double crossing = noise.uniform() * span;
    if (kind >= 0.5 && cell == close) {  // within two standard errors of none
      const auto value = static_cast<double>(draw(noise, 0, drawn.values - 1));
      crossing = value + (4.0 * noise.uniform() - 2.0) * se / slope;
    }
    drawn.slope.push_back(slope);
    drawn.crossing.push_back(crossing);
  }
  return drawn;
}

std::string name_of(const Drawn& drawn, std::size_t cell) {
  return drawn.is_of_devices ? std::to_string(std::size_t{1} << cell)
                             : std::string(1, static_cast<char>('a' + cell));
}

std::int64_t batch_of(std::size_t value) {
  return kFirstBatch << value;
}

std::string study_text(const Drawn& drawn) {
  std::vector<std::string> names;
  std::vector<std::int64_t> batches;
  for (std::size_t cell = 0; cell < drawn.cells; ++cell) {
    names.push_back(name_of(drawn, cell));
  }
  for (std::size_t value = 0; value < drawn.values; ++value) {
    batches.push_back(batch_of(value));
  }
  const std::string axis = drawn.is_of_devices ? "devices" : "knob";
  const std::string last =
      fmt::format("{{{}: {}, batch_global: {}}}", axis, names.back(), batches.back());
  const std::string middle =
      fmt::format("{{{}: {}, batch_global: {}}}", axis, names.back(), batches[batches.size() / 2]);
  return fmt::format(
      "version: 1\nstudy: simulated\ntitle: Simulated\n{}\n"
      "axes: {{{}: [{}], batch_global: [{}]}}\n"
      "steps: {{warmup: 0, measured: 2}}\ntrials: {{count: {}}}\n"
      "analysis:\n  baseline: {{{}: {}}}\n"
      "  thresholds: [{{metric: speedup, level: 1.0, along: batch_global{}}}{}]\n"
      "  targets:\n"
      "    - {{name: pays, metric: speedup, where: {}, at_least: 1.0}}\n"
      "    - {{name: pays at the middle, metric: speedup, where: {}, at_least: 1.0}}\n"
      "    - {{name: a little, metric: speedup, where: {}, at_least: 1.05}}\n"
      "    - {{name: much, metric: speedup, where: {}, at_least: 1.5}}\n"
      "    - {{name: everywhere, metric: speedup, at_least: 0.9}}\n",
      drawn.is_of_devices ? "workload: train\nparameters: {model: mlp-258k}"
                          : "workload: command\ncommand: [run, \"{knob}\", \"{batch_global}\"]",
      axis,
      fmt::join(names, ", "),
      fmt::join(batches, ", "),
      drawn.trials,
      axis,
      names.front(),
      drawn.refines() ? fmt::format(", refine: {{to: 10%, max_cells: {}, grid: 2}}", 2 * kMostAdded)
                      : "",
      drawn.is_of_devices ? ", {metric: efficiency, level: 0.8, along: batch_global}" : "",
      last,
      middle,
      middle,
      last);
}

// In doublings of the first batch.
double value_of(const CellRow& cell) {
  return std::log2(static_cast<double>(*cell.batch_global) / kFirstBatch);
}

// The drawn study in a store, with the samples of all its trials.
struct SimulatedStudy {
  Drawn drawn;
  Study study;
  Store store = Store::open_in_memory();
  std::int64_t id = 0;
  std::vector<double> blocks;  // factors on all times of a block

  explicit SimulatedStudy(std::uint64_t seed) {
    Noise noise(seed);
    drawn = draw_study(noise);
    study = declare(study_text(drawn));
    const PlannedStudy planned = plan_study(study, expand(study), {}, "", store);
    id = planned.study_id;
    for (std::size_t i = 0; i < drawn.trials; ++i) {
      blocks.push_back(noise.factor(0.02));
    }
    SessionRow session;
    session.study_id = id;
    session.started_at = "2026-01-01T00:00:00Z";
    const std::int64_t session_id =
        store.begin_session(session, {{"cores", "64"}, {"cpu_model", "one"}});
    fill(noise, session_id);
    for (std::vector<Addition> more = refinements(); !more.empty(); more = refinements()) {
      store.add(id, more);
      study.additions.insert(study.additions.end(), more.begin(), more.end());
      extend_plan(study, expand(study), {}, planned, store);
      fill(noise, session_id);
    }
    store.end_session(session_id, "2026-01-01T01:00:00Z", SessionEnding::kDone);
    analyse_stored(store, id, study);
  }

  std::size_t cell_of(const CellRow& cell) const {
    for (std::size_t i = 0; i < drawn.cells; ++i) {
      const CellRow::Parameter* found = nullptr;
      for (const CellRow::Parameter& parameter : cell.parameters) {
        found = parameter.name == (drawn.is_of_devices ? "devices" : "knob") ? &parameter : found;
      }
      if (found != nullptr && found->value == name_of(drawn, i)) {
        return i;
      }
    }
    throw std::logic_error("simulated study: a cell that was not drawn");
  }

 private:
  std::vector<Addition> refinements() const {
    return drawn.refines() ? next_values(observe(store, id, study), study)
                           : std::vector<Addition>();
  }

  void fill(Noise& noise, std::int64_t session_id) {
    std::map<std::int64_t, CellRow> cells;
    for (const CellRow& cell : store.cells(id)) {
      cells.emplace(cell.id, cell);
    }
    for (const TrialRow& trial : store.trials(id)) {
      if (trial.state != TrialState::kPlanned) {
        continue;
      }
      while (blocks.size() <= static_cast<std::size_t>(trial.block)) {
        blocks.push_back(noise.factor(0.02));
      }
      const CellRow& cell = cells.at(trial.cell_id);
      const double slow = drawn.has_slow && noise.uniform() < 0.1 ? 3.0 : 1.0;
      const double step_s = kBaseS * static_cast<double>(*cell.batch_global) / kFirstBatch /
                            std::exp(drawn.truth(cell_of(cell), value_of(cell))) * slow *
                            blocks[static_cast<std::size_t>(trial.block)] *
                            noise.factor(drawn.noise);
      TrialRecord record;
      record.trial = trial;
      record.trial.state = TrialState::kOk;
      record.trial.session_id = session_id;
      record.trial.wall_s = 2.0;
      record.trial.exit_code = 0;
      record.trial.foreign_load = 0.01;
      record.series.push_back({.metric = "step_time_s",
                               .unit = "s",
                               .rank = {},
                               .warmup_n = 0,
                               .values = {step_s, step_s}});
      store.mark_running(trial.id, session_id, "2026-01-01T00:00:00Z");
      store.finish_trial(record, false);
    }
  }
};

// Holm's procedure by its definition: how many of these are rejected at 5 % in a family of `family`
// hypotheses, those without a p value being never rejected.
std::size_t count_by_holm(std::vector<double> p, std::size_t family) {
  std::ranges::sort(p);
  std::size_t rejected = 0;
  while (rejected < p.size() && p[rejected] * static_cast<double>(family - rejected) < 0.05) {
    ++rejected;
  }
  return rejected;
}

bool is_wrong(Verdict verdict, double truth) {
  return (verdict == Verdict::kFaster && !(truth > 0.0)) ||
         (verdict == Verdict::kSlower && !(truth < 0.0));
}

void add_verdicts(const SimulatedStudy& simulated, const Results& results, SaidTally& tally) {
  std::map<std::int64_t, CellRow> cells;
  for (const CellRow& cell : simulated.store.cells(simulated.id)) {
    cells.emplace(cell.id, cell);
  }
  const auto truth = [&](std::int64_t id) {
    const CellRow& cell = cells.at(id);
    return simulated.drawn.truth(simulated.cell_of(cell), value_of(cell));
  };
  bool is_any_wrong = false;
  std::vector<double> p_values;
  for (const ComparisonRow& row : results.comparisons) {
    if (row.quantity == "speedup") {
      is_any_wrong = is_any_wrong || is_wrong(row.verdict, truth(row.cell_id));
      if (row.p_value && simulated.drawn.cells == 2) {
        p_values.push_back(*row.p_value);
        tally.resolved += *row.p_value < *row.alpha_star ? 1 : 0;
      }
    }
  }
  // A search for a break-even counts the batches that it may add, whether it adds them or not.
  const std::size_t declared =
      simulated.drawn.values + (simulated.drawn.refines() ? kMostAdded : 0);
  tally.by_holm += count_by_holm(p_values, std::max(declared, p_values.size()));
  if (simulated.drawn.cells > 2) {
    for (std::size_t value = 0; value < simulated.drawn.values; ++value) {
      std::optional<double> best;
      bool is_kept = true;
      for (const auto& [id, cell] : cells) {
        if (value_of(cell) == static_cast<double>(value)) {
          best = std::max(best.value_or(truth(id)), truth(id));
        }
      }
      for (const ComparisonRow& row : results.comparisons) {
        if (row.quantity == "fastest" &&
            value_of(cells.at(row.cell_id)) == static_cast<double>(value) &&
            truth(row.cell_id) == *best && row.verdict == Verdict::kSlower) {
          is_kept = false;
        }
      }
      tally.kept_best.add(is_kept);
      is_any_wrong = is_any_wrong || !is_kept;
    }
  }
  (simulated.drawn.cells == 2 ? tally.wrong_of_two : tally.wrong_of_more).add(is_any_wrong);
  std::map<double, bool> is_level_wrong;
  for (const TargetResultRow& row : results.targets) {
    if (row.cell_id) {
      const double beyond = truth(*row.cell_id) - std::log(*row.level);
      is_level_wrong[*row.level] = is_level_wrong[*row.level] ||
                                   (row.verdict == TargetVerdict::kMet && !(beyond > 0.0)) ||
                                   (row.verdict == TargetVerdict::kMissed && !(beyond < 0.0));
    }
  }
  for (const auto& [level, is_wrong_there] : is_level_wrong) {
    tally.wrong_targets.add(is_wrong_there);
  }
}

void add_break_evens(const SimulatedStudy& simulated, const Results& results, SaidTally& tally) {
  const Drawn& drawn = simulated.drawn;
  for (const ThresholdRow& row : results.thresholds) {
    if (row.metric != "speedup" || row.pieces.empty() || row.cells.empty()) {
      continue;
    }
    std::size_t cell = 0;
    for (const CellRow& one : simulated.store.cells(simulated.id)) {
      cell = one.id == row.cells.front() ? simulated.cell_of(one) : cell;
    }
    const double at = drawn.crossing[cell - 1];
    if (drawn.slope[cell - 1] == 0.0 || at < 0.0 || at > static_cast<double>(drawn.values - 1)) {
      continue;
    }
    const double x = kFirstBatch * std::exp2(at);
    bool is_covered = false;
    for (std::size_t i = 0; i + 1 < row.pieces.size(); i += 2) {
      is_covered = is_covered || (row.pieces[i] <= x && x <= row.pieces[i + 1]);
    }
    (drawn.has_slow ? tally.covered_if_slow : tally.covered).add(is_covered);
  }
}

std::map<std::string, std::string> texts_of(const Store& store, std::int64_t id) {
  const report::ReportInput input = report::read_input(store, id);
  std::map<std::string, std::string> files;
  files["report.md"] = report::render_template(
      shared_file("templates/scaling.md"),
      {shared_file("templates/partials")},
      report::build_view(input, report::figures_of(report::plan_figures(input))),
      [](const std::string&) { return std::string(); },
      report::template_tags());
  for (const auto& [name, text] : report::make_csv_files(input)) {
    files["data/" + name] = text;
  }
  files["results.json"] = results_json(store, input.study.name);
  return files;
}

}  // namespace

void add_simulated_study(std::uint64_t seed, bool is_rendered, SaidTally& tally) {
  const SimulatedStudy simulated(seed);
  const Results results = simulated.store.results(simulated.id);
  ++tally.studies;
  add_verdicts(simulated, results, tally);
  add_break_evens(simulated, results, tally);
  if (is_rendered) {
    for (const std::string& one : contradictions(texts_of(simulated.store, simulated.id))) {
      ++tally.contradictions[fmt::format("seed {}: {}", seed, one)];
    }
  }
}

std::map<std::string, std::string> simulated_report(std::uint64_t seed) {
  const SimulatedStudy simulated(seed);
  return texts_of(simulated.store, simulated.id);
}

}  // namespace scalestudy::test
