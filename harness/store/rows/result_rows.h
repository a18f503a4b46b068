// Rows that analysis makes from samples. If a value is absent, `status` says why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/curve_rows.h"
#include "harness/store/rows/flag_rows.h"
#include "harness/store/rows/projection_rows.h"
#include "harness/store/rows/published_rows.h"
#include "harness/store/rows/rate_words.h"
#include "harness/store/rows/result_words.h"
#include "harness/store/rows/search_rows.h"
#include "harness/store/rows/threat_words.h"
#include "harness/study/declared/analysis_options.h"
#include "harness/study/declared/words.h"

namespace scalestudy {

// One statistic of one metric of one cell. value, lo and hi are in `unit`. If status is not ok
// there is no interval; a single trial (insufficient_data) still has its value, without lo and hi.
struct EstimateRow {
  std::int64_t cell_id = 0;
  std::string metric;  // step_time_s, throughput, forward_time_s, cost_per_million_samples ...
  Statistic statistic = Statistic::kMean;
  Variant variant = Variant::kAll;
  std::string unit;
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> sd;  // between trials
  double confidence = 0.95;
  std::string method;           // id as in stats/METHODS.md: mean_ci_t ...
  std::int64_t n = 0;           // trials used
  std::int64_t n_excluded = 0;  // trials left out by `variant` or by hand
  std::int64_t n_planned = 0;
  RowStatus status = RowStatus::kInsufficientData;
  Provenance provenance = Provenance::kMeasured;
  std::optional<StepTimeDefinition> definition;  // set if the row follows from step times
  TrialIds trials;                               // of both cells if it follows from a comparison
  // Of a rate that the program prints: what its step time, batch and devices give, in the unit.
  std::optional<RateVerdict> recomputed_verdict = {};
  std::optional<double> recomputed_lo = {};
  std::optional<double> recomputed_hi = {};
  std::string recomputed_from = {};  // the formula, or why there is none
};

// A comparison of one cell with another.
struct ComparisonRow {
  std::int64_t cell_id = 0;
  std::int64_t baseline_cell_id = 0;
  std::string quantity;  // findings.h of harness/analysis names them
  Scaling scaling = Scaling::kNone;
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
  double confidence = 0.95;  // of lo and hi; in a run for verdicts higher than the study's
  std::optional<double> p_value;
  // Over the study's comparisons of this quantity: Holm; Bonferroni where the best cell is chosen
  // among them.
  std::optional<double> p_adjusted;
  std::optional<double> equivalence_p;
  std::optional<double> equivalence_p_adjusted;
  RatioMethod method = RatioMethod::kIndependent;
  std::int64_t n = 0;  // trials of the cell that were compared, or pairs of blocks or sessions
  std::int64_t n_baseline = 0;
  double margin = 0.0;
  Verdict verdict = Verdict::kNotEnoughData;
  std::string finding;  // the verdict as a sentence with its numbers
  std::string remark;   // what the finding adds to the columns, for reports; may be empty
  RowStatus status = RowStatus::kInsufficientData;
  Provenance provenance = Provenance::kMeasured;
  TrialIds trials;           // the cell's trials that were compared, whole blocks or sessions
  TrialIds baseline_trials;  // the baseline's trials that were compared
  // With the verdicts kNotApplied and kUnconfirmed: the sides that ask for a setting which was not
  // applied or is unconfirmed. Empty with others, and in rows older than schema version 27.
  CellIds doubted_cells;
  // The comparison is resolved where p_value < alpha_star, that is, exactly where p_adjusted is
  // below the error rate of the question (0.05). Absent in rows older than schema version 28.
  std::optional<double> alpha_star{};
  std::optional<std::int64_t> family_size{};  // comparisons allowed for
  std::optional<std::int64_t> rejected{};     // of them; 0 of a Bonferroni family
};

// Whether the difference is not significant after adjustment, although the interval, which allows
// for this comparison alone, excludes equality.
inline bool is_open_by_adjustment(const ComparisonRow& row) {
  return row.verdict == Verdict::kNoDetectableDifference && row.lo && row.hi &&
         (*row.lo > 1.0 || *row.hi < 1.0);
}

struct TargetResultRow {
  std::string name;
  std::string metric;
  std::optional<std::int64_t> cell_id;  // absent: over all its cells, or no cell matches
  Bound bound = Bound::kAtLeast;
  std::optional<double> level;  // absent: a share of a value that is missing or differs by cell
  std::optional<double> value;
  std::optional<double> lo;
  std::optional<double> hi;
  TargetVerdict verdict = TargetVerdict::kUndecided;
  std::string finding;
  Provenance provenance = Provenance::kMeasured;
  std::optional<double> alpha_star{};  // of the question, as in ComparisonRow
  std::optional<std::int64_t> family_size{};
  std::optional<std::int64_t> rejected{};
};

// Whether the row judges a limit on recommendations (analysis.within), which is no expectation.
inline bool is_limit(const TargetResultRow& row) {
  return row.name == limit_name(row.metric);
}

// A threat to the results' validity: drift, foreign load, few trials, oversubscription ...
struct ThreatRow {
  ThreatKind kind = ThreatKind::kFewTrials;
  Severity severity = Severity::kNote;
  std::string finding;  // sentence with its numbers
};

struct Results {
  std::optional<int> analysis_version;  // absent if stored before results had it
  std::vector<EstimateRow> estimates;
  std::vector<ComparisonRow> comparisons;
  std::vector<ThresholdRow> thresholds;
  std::vector<LawRow> laws;
  std::vector<LawChoiceRow> law_choices;
  std::vector<VolumeRow> volumes;
  std::vector<ProjectionRow> projections;
  std::vector<TargetResultRow> targets;
  std::vector<ThreatRow> threats;
  std::vector<SearchSettingRow> search_settings;  // empty unless the study has a search
  std::vector<FlagRow> flags;
  std::vector<FlaggedStepsRow> flagged_steps;
  std::vector<CounterpartRow> counterparts;  // one per published figure of the study, in order
};

// The largest estimate of the metric, of any cell and any statistic in the metric's unit, by which
// all values of it get one unit; absent without any.
std::optional<double> largest_estimate(const Results& results, const std::string& metric);

}  // namespace scalestudy
