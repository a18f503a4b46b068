// Columns of the result tables but `flag`; see tables.h.
#pragma once

#include "harness/store/tables.h"

namespace scalestudy::sql {

template <>
struct Table<EstimateRow> {
  static constexpr const char* name = "estimate";
  static constexpr const char* columns =
      "cell_id, metric, statistic, variant, unit, value, lo, hi, sd, confidence, method, n, "
      "n_excluded, "
      "n_planned, status, provenance, definition";
  static auto fields(auto& row) {
    return std::tie(row.cell_id,
                    row.metric,
                    row.statistic,
                    row.variant,
                    row.unit,
                    row.value,
                    row.lo,
                    row.hi,
                    row.sd,
                    row.confidence,
                    row.method,
                    row.n,
                    row.n_excluded,
                    row.n_planned,
                    row.status,
                    row.provenance,
                    row.definition);
  }
};

template <>
struct Table<ComparisonRow> {
  static constexpr const char* name = "comparison";
  static constexpr const char* columns =
      "cell_id, baseline_cell_id, quantity, scaling, value, lo, hi, confidence, p_value, "
      "p_adjusted, "
      "equivalence_p, equivalence_p_adjusted, method, n, n_baseline, margin, verdict, finding, "
      "status, "
      "provenance, trials, baseline_trials";
  static auto fields(auto& row) {
    return std::tie(row.cell_id,
                    row.baseline_cell_id,
                    row.quantity,
                    row.scaling,
                    row.value,
                    row.lo,
                    row.hi,
                    row.confidence,
                    row.p_value,
                    row.p_adjusted,
                    row.equivalence_p,
                    row.equivalence_p_adjusted,
                    row.method,
                    row.n,
                    row.n_baseline,
                    row.margin,
                    row.verdict,
                    row.finding,
                    row.status,
                    row.provenance,
                    row.trials,
                    row.baseline_trials);
  }
};

template <>
struct Table<ThresholdRow> {
  static constexpr const char* name = "threshold";
  static constexpr const char* columns =
      "metric, level, along, group_label, status, bracket_lo, bracket_hi, estimate, lo, hi, "
      "censored_lo, "
      "censored_hi, confidence, method, rungs, finding, provenance, trials";
  static auto fields(auto& row) {
    return std::tie(row.metric,
                    row.level,
                    row.along,
                    row.group_label,
                    row.status,
                    row.bracket_lo,
                    row.bracket_hi,
                    row.estimate,
                    row.lo,
                    row.hi,
                    row.censored_lo,
                    row.censored_hi,
                    row.confidence,
                    row.method,
                    row.rungs,
                    row.finding,
                    row.provenance,
                    row.trials);
  }
};

template <>
struct Table<LawRow> {
  static constexpr const char* name = "law";
  static constexpr const char* columns =
      "law, group_label, parameter, value, lo, hi, confidence, method, n, levels, status, finding, "
      "provenance, trials";
  static auto fields(auto& row) {
    return std::tie(row.law,
                    row.group_label,
                    row.parameter,
                    row.value,
                    row.lo,
                    row.hi,
                    row.confidence,
                    row.method,
                    row.n,
                    row.levels,
                    row.status,
                    row.finding,
                    row.provenance,
                    row.trials);
  }
};

template <>
struct Table<TargetResultRow> {
  static constexpr const char* name = "target_result";
  static constexpr const char* columns =
      "name, metric, cell_id, bound, level, value, lo, hi, verdict, finding, provenance";
  static auto fields(auto& row) {
    return std::tie(row.name,
                    row.metric,
                    row.cell_id,
                    row.bound,
                    row.level,
                    row.value,
                    row.lo,
                    row.hi,
                    row.verdict,
                    row.finding,
                    row.provenance);
  }
};

template <>
struct Table<ThreatRow> {
  static constexpr const char* name = "threat";
  static constexpr const char* columns = "kind, severity, finding";
  static auto fields(auto& row) { return std::tie(row.kind, row.severity, row.finding); }
};

template <>
struct Table<FlaggedStepsRow> {
  static constexpr const char* name = "flagged_steps";
  static constexpr const char* columns =
      "cell_id, trials, flagged_trials, steps, flagged_steps, share";
  static auto fields(auto& row) {
    return std::tie(
        row.cell_id, row.trials, row.flagged_trials, row.steps, row.flagged_steps, row.share);
  }
};

}  // namespace scalestudy::sql
