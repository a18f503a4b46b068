// Results of the small study, as analysis would make them.
#pragma once

#include "harness/store/rows/rows.h"
#include "tests/store/filled_store.h"

namespace scalestudy::test {

inline EstimateRow make_estimate(std::int64_t cell_id,
                                 const std::string& metric,
                                 Statistic statistic,
                                 double value) {
  EstimateRow row;
  row.cell_id = cell_id;
  row.metric = metric;
  row.statistic = statistic;
  row.variant = Variant::kAll;
  row.unit = metric == "throughput" ? "samples/s" : "s";
  row.value = value;
  row.lo = value - 0.25;
  row.hi = value + 0.25;
  row.sd = 0.125;
  row.method = "mean_ci_t";
  row.n = 2;
  row.n_planned = 2;
  row.status = RowStatus::kOk;
  return row;
}

inline ComparisonRow make_comparison(const Planned& planned,
                                     const std::string& quantity,
                                     double value) {
  ComparisonRow row;
  row.cell_id = planned.cells[1].id;
  row.baseline_cell_id = planned.cells[0].id;
  row.quantity = quantity;
  row.scaling = Scaling::kStrong;
  row.value = value;
  row.lo = value - 0.125;
  row.hi = value + 0.125;
  row.p_value = 0.01;
  row.p_adjusted = 0.02;
  row.method = RatioMethod::kPaired;
  row.n = 2;
  row.n_baseline = 2;
  row.margin = 0.02;
  row.verdict = Verdict::kFaster;
  row.finding = "1.70 times as fast";
  row.status = RowStatus::kOk;
  row.trials = {planned.trials[1].id};
  row.baseline_trials = {planned.trials[0].id};
  row.doubted_cells = {planned.cells[1].id};
  row.alpha_star = 0.025;
  row.family_size = 4;
  row.rejected = 2;
  return row;
}

inline Results sample_results(const Planned& planned) {
  Results results;
  const double step_time_s[] = {1.5, 2.5};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t cell_id = planned.cells[i].id;
    results.estimates.push_back(
        make_estimate(cell_id, "step_time_s", Statistic::kMean, step_time_s[i]));
    results.estimates.push_back(
        make_estimate(cell_id, "step_time_s", Statistic::kP50, step_time_s[i]));
    results.estimates.push_back(
        make_estimate(cell_id, "step_time_s", Statistic::kP95, step_time_s[i] + 0.5));
    results.estimates.push_back(
        make_estimate(cell_id, "throughput", Statistic::kMean, 64.0 / step_time_s[i]));
  }
  for (EstimateRow& row : results.estimates) {
    row.trials = {planned.trials[row.cell_id == planned.cells[0].id ? 0 : 1].id};
  }
  results.estimates.back().status = RowStatus::kInsufficientData;
  results.estimates.back().lo.reset();
  results.estimates.back().hi.reset();
  results.comparisons.push_back(make_comparison(planned, "speedup", 1.7));
  results.comparisons.push_back(make_comparison(planned, "efficiency", 0.85));
  results.comparisons.push_back(make_comparison(planned, "communication_overhead", 0.25));
  ThresholdRow threshold;
  threshold.metric = "speedup";
  threshold.along = "batch_global";
  threshold.group_label = "devices=2";
  threshold.status = RowStatus::kCrossed;
  threshold.bracket_lo = 64.0;
  threshold.bracket_hi = 128.0;
  threshold.estimate = 100.0;
  threshold.lo = 90.0;
  threshold.censored_hi = true;
  threshold.tested_values = 4;
  threshold.alpha_star = 0.05 / 3.0;
  threshold.family_size = 5;
  threshold.rejected = 2;
  threshold.pieces = {49.8, 63.5, 65.3, 170.1};
  threshold.open_values = {64.0, 128.0};
  threshold.trials = {planned.trials[0].id, planned.trials[1].id, planned.trials[2].id};
  threshold.cells = {planned.cells[1].id};
  results.thresholds.push_back(threshold);
  LawRow law;
  law.law = Law::kAmdahl;
  law.parameter = "serial_fraction";
  law.value = 0.1;
  law.status = RowStatus::kOk;
  law.levels = 2;  // and no trials
  law.cells = {planned.cells[0].id, planned.cells[1].id};
  results.laws.push_back(law);
  LawChoiceRow choice;
  choice.group_label = "batch_global=64";
  choice.levels = 2;
  choice.finding = "no law may be chosen";
  results.law_choices.push_back(choice);
  choice.chosen = Law::kUsl;
  choice.held_out_error = 0.02;
  choice.status = RowStatus::kOk;
  results.law_choices.push_back(choice);
  results.volumes = {{.cell_id = planned.cells[1].id,
                      .quantity = "traffic_bytes",
                      .unit = "bytes",
                      .calculated = 100.0,
                      .measured = 101.0,
                      .ratio = 1.01,
                      .formula = "2 (N - 1)/N x parameters"}};
  ProjectionRow projection;
  projection.devices = 4;
  projection.value = 0.5;
  projection.lo = 0.4;
  projection.hi = 0.6;
  projection.method = "communication_added";
  projection.factor = 2.0;
  projection.status = RowStatus::kOk;
  projection.session = "here 2026-11-21T10:00:00Z 1";
  projection.made_at = "2026-11-21T10:00:00Z";
  projection.cell_id = planned.cells[1].id;
  projection.measured = 0.48;
  projection.error = 0.5 / 0.48 - 1.0;
  projection.trials = {planned.trials[0].id};
  results.projections.push_back(projection);
  projection = {};
  projection.devices = 8;
  projection.status = RowStatus::kRefused;
  results.projections.push_back(projection);
  TargetResultRow target;
  target.name = "second device pays";
  target.metric = "speedup";
  target.cell_id = planned.cells[1].id;
  target.bound = Bound::kAtLeast;
  target.level = 1.6;
  target.value = 1.7;
  target.verdict = TargetVerdict::kUndecided;
  results.targets.push_back(target);
  target.cell_id.reset();
  target.value.reset();
  results.targets.push_back(target);
  SearchSettingRow setting;
  setting.cell_id = planned.cells[1].id;
  setting.quantity = "speedup";
  setting.departures = 2;
  setting.role = SearchRole::kWinner;
  setting.race_trials = 3;
  setting.is_recommended = true;
  setting.finding = "1.70 times as fast";
  results.search_settings.push_back(setting);
  setting.cell_id = planned.cells[0].id;
  setting.role = SearchRole::kLeft;
  setting.left_after = 2;
  setting.is_recommended = false;
  results.search_settings.push_back(setting);
  results.threats = {
      {.kind = ThreatKind::kFewTrials, .severity = Severity::kWarning, .finding = "2 trials"},
      {.kind = ThreatKind::kDrift, .severity = Severity::kNote, .finding = "none seen"}};
  results.flags = {{.trial_id = planned.trials[0].id,
                    .level = FlagLevel::kStep,
                    .rule = "modified-z > 3.5",
                    .count = 3,
                    .share = 0.1,
                    .score = {}}};
  results.flagged_steps = {{.cell_id = planned.cells[0].id,
                            .trials = 2,
                            .flagged_trials = 1,
                            .steps = 40,
                            .flagged_steps = 3,
                            .share = 0.05}};
  return results;
}

}  // namespace scalestudy::test
