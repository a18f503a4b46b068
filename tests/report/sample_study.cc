// A strong-scaling study of 3 numbers of devices and 3 batches, with controls, a retry and a
// timeout.
#include "tests/report/sample_study.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/report/sample_estimates.h"
#include "tests/report/sample_published.h"

namespace scalestudy::test {
namespace {

std::string sample_text(const std::string& title) {
  std::string quoted;
  for (const char c : title) {
    quoted += c == '\n' ? std::string("\\n")
                        : (c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c));
  }
  return "version: 1\nstudy: sample\ntitle: \"" + quoted +
         "\"\nworkload: train\nparameters:\n  model: mlp-6.9m\naxes:\n  devices: [1, 2, 4]\n"
         "  batch_global: [64, 256, 1024]\nsteps: {warmup: 2, measured: 10}\ntrials: {count: 3}\n"
         "controls: [noop, aa]\nanalysis:\n  baseline: {devices: 1}\n  margin: 2%\n"
         "  thresholds: [ {metric: speedup, level: 1.0, along: batch_global} ]\n"
         "  targets: [ {name: second device pays, metric: speedup, where: {devices: 2}, at_least: "
         "1.5} ]\n"
         "cost:\n  per_device_hour: 3.00\n  currency: USD\n  source: a price list\n"
         "  date: 2026-11-01\n  prices: [{name: spot, per_device_hour: 1.00}]\n"
         "  energy: {watts_per_device: 300, per_kwh: 0.3, kg_co2_per_kwh: 0.4, pue: 1.2}\n"
         "  train: {epochs: 90, samples_per_epoch: 1281167}\n"
         "  lines: [{name: storage, per_hour: 0.36, per_training: 5}]\n"
         "  investments: [{name: second device, price: 1200, where: {devices: 2}}]\n";
}

CellRow sample_cell(std::int64_t devices,
                    std::int64_t batch,
                    CellRole role,
                    const std::string& extra) {
  CellRow cell;
  cell.role = role;
  cell.hash = to_word(role) + "-" + std::to_string(devices) + "-" + std::to_string(batch);
  cell.label = "devices=" + std::to_string(devices) + " batch_global=" + std::to_string(batch) +
               (extra.empty() ? "" : " env.NAME=" + extra) +
               (role == CellRole::kMeasured ? "" : " (" + to_word(role) + ")");
  cell.devices = devices;
  cell.batch_global = batch;
  cell.batch_per_device = batch / devices;
  cell.baseline = "measured-1-" + std::to_string(batch);
  if (role != CellRole::kMeasured) {
    cell.control_of = "measured-" + std::to_string(devices) + "-" + std::to_string(batch);
  }
  cell.parameters = {{"batch_global", std::to_string(batch), ValueKind::kInteger, true},
                     {"devices", std::to_string(devices), ValueKind::kInteger, true},
                     {"model", "mlp-6.9m", ValueKind::kText, false}};
  if (!extra.empty()) {
    cell.parameters.push_back({"env.NAME", extra, ValueKind::kText, true});
  }
  return cell;
}

std::vector<CellRow> sample_cells(const std::string& extra) {
  std::vector<CellRow> cells;
  for (const std::int64_t batch : {64, 256, 1024}) {
    for (const std::int64_t devices : {1, 2, 4}) {
      cells.push_back(sample_cell(devices, batch, CellRole::kMeasured, extra));
    }
  }
  cells.push_back(sample_cell(2, 256, CellRole::kNoop, extra));
  cells.push_back(sample_cell(1, 256, CellRole::kAa, extra));
  CellRow excluded = sample_cell(8, 64, CellRole::kMeasured, extra);
  excluded.excluded_reason = "exclude rule 1 (devices=8)";
  cells.push_back(excluded);
  return cells;
}

// Most spread lies between trials; in the first cell a slow trial stands out.
void add_spread(Results& results, const CellRow& cell, bool has_slow_trial) {
  const auto add = [&](Statistic statistic, const char* unit, const char* method, double value) {
    EstimateRow row = sample_estimate(cell, "step_time_s", unit, value, 0.0);
    row.statistic = statistic;
    row.method = method;
    row.lo = row.hi = std::nullopt;
    results.estimates.push_back(row);
  };
  add(Statistic::kBetweenTrialsShare, "1", "variance_components", 0.8);
  add(Statistic::kOptimalSteps, "steps", "kalibera_optimal", 15.0);
  if (has_slow_trial) {
    add(Statistic::kMedian, "s", "median_ci_order", sample_step_s(cell));
    results.estimates.back().status = RowStatus::kUnattainable;
  }
}

ComparisonRow sample_comparison(const CellRow& cell,
                                const CellRow& base,
                                const std::string& quantity,
                                double value) {
  ComparisonRow row;
  row.cell_id = cell.id;
  row.baseline_cell_id = base.id;
  row.quantity = quantity;
  row.scaling = Scaling::kStrong;
  row.value = value;
  row.lo = value * 0.95;
  row.hi = value * 1.05;
  row.p_value = 0.0012;
  row.p_adjusted = 0.0072;
  row.method = RatioMethod::kPaired;
  row.n = 3;
  row.n_baseline = 3;
  row.margin = 0.02;
  row.verdict = value < 1.0 ? Verdict::kSlower : Verdict::kFaster;
  row.status = RowStatus::kOk;
  row.finding = cell.label + ": " + quantity + " over 1 device, " + to_word(row.verdict);
  row.remark = to_word(row.verdict) + " by more than 2 %";
  return row;
}

// The trials of blocks that hold an ok one of both cells.
void add_pairs(const std::vector<TrialRow>& trials, ComparisonRow& row) {
  for (const TrialRow& a : trials) {
    for (const TrialRow& b : trials) {
      if (a.cell_id == row.cell_id && b.cell_id == row.baseline_cell_id && a.block == b.block &&
          a.state == TrialState::kOk && b.state == TrialState::kOk) {
        row.trials.push_back(a.id);
        row.baseline_trials.push_back(b.id);
      }
    }
  }
  std::ranges::sort(row.trials);
  std::ranges::sort(row.baseline_trials);
}

// The ok trials of each cell; of an estimate without flagged ones not the first.
void add_trials(const std::vector<TrialRow>& trials, std::vector<EstimateRow>& estimates) {
  for (EstimateRow& row : estimates) {
    for (const TrialRow& trial : trials) {
      if (trial.cell_id == row.cell_id && trial.state == TrialState::kOk && !trial.superseded &&
          (row.variant == Variant::kAll || trial.id != trials.front().id)) {
        row.trials.push_back(trial.id);
      }
    }
    std::ranges::sort(row.trials);
  }
}

void add_cells(const std::vector<CellRow>& cells, Results& results) {
  for (const CellRow& cell : cells) {
    if (cell.excluded_reason) {
      continue;
    }
    add_estimates(results, cell);
    if (cell.role == CellRole::kMeasured) {
      add_spread(results, cell, cell.id == cells.front().id);
    }
    for (const CellRow& base : cells) {
      if (cell.role == CellRole::kMeasured && base.hash == cell.baseline &&
          base.hash != cell.hash) {
        const double speedup = sample_step_s(base) / sample_step_s(cell);
        results.comparisons.push_back(sample_comparison(cell, base, "speedup", speedup));
        results.comparisons.push_back(sample_comparison(
            cell, base, "efficiency", speedup / static_cast<double>(cell.devices)));
      }
      if (base.role == CellRole::kNoop && base.control_of == cell.hash) {
        const double overhead = 1.0 - sample_step_s(base) / sample_step_s(cell);
        results.comparisons.push_back(
            sample_comparison(cell, base, "communication_overhead", overhead));
      }
      if (cell.role == CellRole::kAa && cell.control_of == base.hash) {
        results.comparisons.push_back(sample_comparison(cell, base, "aa", 1.001));
        results.comparisons.back().verdict = Verdict::kEquivalent;
      }
    }
  }
}

ThresholdRow sample_threshold(const std::vector<CellRow>& cells) {
  ThresholdRow threshold;
  threshold.metric = "speedup";
  threshold.along = "batch_global";
  threshold.group_label = "devices=2";
  threshold.status = RowStatus::kCrossed;
  threshold.bracket_lo = 64;
  threshold.bracket_hi = 256;
  threshold.estimate = 81.2;
  threshold.lo = 74.4;
  threshold.hi = 90.1;
  threshold.method = "threshold_piecewise";
  threshold.tested_values = 3;
  threshold.trials = {1, 2, 4, 5, 7, 8, 12, 13, 16, 18, 19, 23, 24, 26, 27, 29, 30};
  for (const CellRow& cell : cells) {
    if (cell.role == CellRole::kMeasured && cell.devices == 2 && !cell.excluded_reason) {
      threshold.cells.push_back(cell.id);
    }
  }
  threshold.finding =
      "2 devices: speedup reaches 1x between global batch 64 and 256, best estimate 81.2 [74.4, "
      "90.1]";
  return threshold;
}

Results sample_results(const std::vector<CellRow>& cells, const std::vector<TrialRow>& trials) {
  Results results;
  add_cells(cells, results);
  for (ComparisonRow& row : results.comparisons) {
    add_pairs(trials, row);
  }
  EstimateRow unflagged = results.estimates.front();
  unflagged.variant = Variant::kUnflagged;
  unflagged.n = 2;
  unflagged.n_excluded = 1;
  unflagged.lo.reset();
  unflagged.hi.reset();
  unflagged.status = RowStatus::kUnflagged;
  results.estimates.push_back(unflagged);
  add_trials(trials, results.estimates);
  results.thresholds.push_back(sample_threshold(cells));
  LawRow law{.law = Law::kAmdahl,
             .group_label = "batch_global=1024",
             .parameter = "serial_fraction",
             .unit = "",
             .value = 0.08,
             .lo = 0.06,
             .hi = 0.1,
             .method = "amdahl_fit",
             .n = 9,
             .levels = 3,
             .status = RowStatus::kOk,
             .finding = "Amdahl's law fits",
             .trials = {7, 8, 9, 18, 19, 20, 29, 30, 31},
             .cells = {}};
  results.laws.push_back(law);
  results.targets.push_back({.name = "second device pays",
                             .metric = "speedup",
                             .cell_id = cells[1].id,
                             .bound = Bound::kAtLeast,
                             .level = 1.5,
                             .value = 0.9,
                             .lo = 0.85,
                             .hi = 0.95,
                             .verdict = TargetVerdict::kMissed,
                             .finding = "second device pays: missed, 0.90x [0.85, 0.95]"});
  results.threats.push_back({ThreatKind::kFewTrials, Severity::kNote, "3 trials a cell"});
  results.threats.push_back({ThreatKind::kForeignLoad,
                             Severity::kWarning,
                             "2 trials ran beside 0.5 cores of foreign load"});
  results.flags.push_back({trials[0].id, FlagLevel::kTrial, "modified-z > 3.5", 1, 1.0, 4.2});
  results.flags.push_back(
      {trials[0].id, FlagLevel::kStep, "modified-z > 3.5", 2, 0.31, std::nullopt});
  results.flagged_steps.push_back({trials[0].cell_id, 3, 1, 30, 2, 0.31 / 3.0});
  return results;
}

// Runs the plan: every trial ok but the first of devices=4 batch_global=64, which fails and is
// retried, and one that times out.
void run_sample(Store& store, std::int64_t study_id, const std::vector<CellRow>& cells) {
  std::vector<TrialRow> plan;
  for (std::int64_t block = 0; block < 3; ++block) {
    for (const CellRow& cell : cells) {
      if (!cell.excluded_reason) {
        TrialRow row;
        row.study_id = study_id;
        row.cell_id = cell.id;
        row.block = block;
        row.position = static_cast<std::int64_t>(plan.size());
        plan.push_back(row);
      }
    }
  }
  store.put_plan(study_id, plan, "");
  std::vector<std::int64_t> sessions;
  for (const char* governor : {"performance", "powersave"}) {
    SessionRow session;
    session.uid = std::string("uid of ") + governor;
    session.study_id = study_id;
    session.started_at = "2026-11-21T10:00:00Z";
    session.host = "host";
    session.tool_version = "0.1.0";
    session.tool_revision = "abc123";
    session.study_hash = "0011223344556677";
    session.order_seed = 42;
    sessions.push_back(
        store.begin_session(session, {{"cpu_model", "A|B CPU"}, {"governor", governor}}));
  }
  store.end_session(sessions[0], "2026-11-21T10:05:00Z", SessionEnding::kInterrupted);
  const auto finish = [&](TrialRow row, TrialState state, const std::string& reason, bool retry) {
    TrialRecord record;
    record.trial = std::move(row);
    record.trial.session_id = sessions[record.trial.block == 0 ? 0 : 1];
    record.trial.started_at = "2026-11-21T10:01:00Z";
    record.trial.state = state;
    record.trial.reason = reason;
    record.trial.wall_s = 1.5;
    record.trial.foreign_load = 0.02;
    if (state == TrialState::kOk) {
      double step = 0.0;
      for (const CellRow& cell : cells) {
        step = cell.id == record.trial.cell_id ? sample_step_s(cell) : step;
      }
      SeriesRow series;
      series.metric = "step_time_s";
      series.unit = "s";
      series.warmup_n = 2;
      for (int i = 0; i < 12; ++i) {
        series.values.push_back(step *
                                (1.0 + 0.01 * std::sin(static_cast<double>(i + record.trial.id))));
      }
      record.series.push_back(series);
    }
    store.mark_running(record.trial.id, *record.trial.session_id, *record.trial.started_at);
    store.finish_trial(record, retry);
  };
  for (const TrialRow& row : store.trials(study_id)) {
    if (row.position == 2) {
      finish(row, TrialState::kFailed, "rank 1 ended with code 1 | see log", true);
    } else if (row.position == 14) {
      finish(row, TrialState::kTimeout, "no output for 120 s", false);
    } else {
      finish(row, TrialState::kOk, "", false);
    }
  }
  for (const TrialRow& row : store.trials(study_id)) {
    if (row.state == TrialState::kPlanned) {
      finish(row, TrialState::kOk, "", false);
    }
  }
}

}  // namespace

std::int64_t fill_sample(Store& store, const SampleOptions& options) {
  StudyRow study;
  study.name = "sample";
  study.title = options.title;
  study.hash = "0011223344556677";
  study.source_path = "studies/sample.yaml";
  study.source_text = sample_text(options.title);
  study.scaling = Scaling::kStrong;
  const std::int64_t id = store.put_study(study);
  store.put_cells(id, sample_cells(options.batch_label_extra), "");
  const std::vector<CellRow> cells = store.cells(id);
  if (options.has_trials) {
    run_sample(store, id, cells);
  }
  if (options.has_publications) {
    store.put_publications({sample_publication(id)});
  }
  if (options.has_results) {
    Results results = sample_results(cells, store.trials(id));
    for (const PublicationRow& publication : store.publications(id)) {
      results.counterparts = sample_counterparts(publication, cells, results);
    }
    store.replace_results(id, results);
  }
  return id;
}

ReportRequest sample_request(std::int64_t study_id) {
  const std::filesystem::path templates =
      std::filesystem::path(SCALESTUDY_SOURCE_DIR) / "templates";
  ReportRequest request;
  request.study_id = study_id;
  request.template_file = templates / "scaling.md";
  request.partials = templates / "partials";
  request.figures = templates / "figures";
  return request;
}

}  // namespace scalestudy::test
