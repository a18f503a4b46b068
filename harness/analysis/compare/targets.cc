#include "harness/analysis/compare/targets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/cells/rates.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "stats/distributions.h"
#include "stats/multiplicity.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

using enum TargetVerdict;

// A single device neither communicates nor differs from its own baseline, so a target on such a
// quantity does not mean that cell.
bool has_quantity(const CellRow& cell, const std::string& metric) {
  if (metric == names::kOverhead) {
    return cell.devices > 1;
  }
  return !is_relative(metric) || cell.baseline != cell.hash;
}

bool matches(const CellRow& cell, const Target& target, const Study& study) {
  if (cell.role != CellRole::kMeasured || !has_quantity(cell, target.metric)) {
    return false;
  }
  const EffectiveParameters effective = effective_parameters(cell, study);
  return std::ranges::all_of(target.where, [&](const auto& wanted) {
    return effective_text(cell, effective, wanted.first) == format_value(wanted.second);
  });
}

std::string format_where(const Parameters& where) {
  std::string text;
  for (const auto& [name, value] : where) {
    text += (text.empty() ? "" : " ") + name + "=" + format_value(value);
  }
  return text.empty() ? "any cell" : text;
}

// What a target on one quantity is judged by: the rows of it, by cell.
class RowsByCell {
 public:
  RowsByCell(const Results& results, const std::string& quantity, Statistic statistic) {
    for (const ComparisonRow& row : results.comparisons) {
      if (row.quantity == quantity) {
        comparisons_.emplace(row.cell_id, &row);
      }
    }
    for (const EstimateRow& row : results.estimates) {
      if (row.metric == quantity && row.statistic == statistic && row.variant == Variant::kAll) {
        estimates_.emplace(row.cell_id, &row);
      }
    }
  }

  // nullptr where there is none.
  const ComparisonRow* comparison(std::int64_t cell_id) const { return in(comparisons_, cell_id); }
  const EstimateRow* estimate(std::int64_t cell_id) const { return in(estimates_, cell_id); }

 private:
  template <typename Row>
  using ById = std::unordered_map<std::int64_t, const Row*>;

  template <typename Row>
  static const Row* in(const ById<Row>& rows, std::int64_t cell_id) {
    const auto found = rows.find(cell_id);
    return found == rows.end() ? nullptr : found->second;
  }

  ById<ComparisonRow> comparisons_;
  ById<EstimateRow> estimates_;
};

// Copies the measured interval into `row`; says what is missing otherwise.
std::string fill_value(const CellRow& cell, const RowsByCell& results, TargetResultRow& row) {
  if (is_relative(row.metric)) {
    const ComparisonRow* found = results.comparison(cell.id);
    if (found == nullptr) {
      return cell.baseline_problem.value_or("there is nothing to compare it with");
    }
    row.value = found->value;
    row.lo = found->lo;
    row.hi = found->hi;
    return row.lo && row.hi ? "" : "not enough data";
  }
  const EstimateRow* found = results.estimate(cell.id);
  if (found == nullptr) {
    return "no trial measured it";
  }
  row.value = found->value;
  row.lo = found->lo;
  row.hi = found->hi;
  return row.lo && row.hi ? "" : "not enough data";
}

// By the interval alone.
TargetVerdict decide(const TargetResultRow& row) {
  if (!row.lo || !row.hi) {
    return kUndecided;
  }
  const bool wants_more = row.bound == Bound::kAtLeast;
  if (wants_more ? *row.lo >= row.level : *row.hi <= row.level) {
    return kMet;
  }
  return (wants_more ? *row.hi < row.level : *row.lo > row.level) ? kMissed : kUndecided;
}

// Two-sided, of a t on `df` degrees of freedom; no spread at all leaves no doubt.
double p_of(double distance, double se, double df) {
  if (!(se > 0.0)) {
    return distance == 0.0 ? 1.0 : 0.0;
  }
  return stats::student_t_two_sided_p(distance / se, df);
}

// p of the mean time behind a rate against that of the level, or of the mean that a stored metric
// has; absent of what follows otherwise.
std::optional<double> mean_p(const CellObservation& cell,
                             const TargetResultRow& row,
                             const std::string& unit,
                             const Study& study) {
  const MetricRequest* request = find_request(study.analysis, row.metric);
  double TrialMetric::*const statistic =
      request == nullptr ? &TrialMetric::mean : statistic_of(*request);
  const std::vector<Rate> rates = rates_of(cell);
  const auto rate = std::ranges::find(rates, row.metric, &Rate::metric);
  const SessionValues times_s =
      rate == rates.end() ? SessionValues() : session_values(cell, std::string(rate->time));
  const double level = times_s.empty() ? row.level : rate->amount / row.level;
  const Seeds seeds = seeds_of(study, cell.row, row.metric);
  const TrialsInterval mean =
      times_s.empty()
          ? interval_over_trials(session_values(cell, row.metric, statistic, seeds),
                                 study.analysis.confidence,
                                 range_of(study, row.metric, unit))
          : interval_over_trials(times_s, study.analysis.confidence, stats::Range::kPositive);
  const auto above = stats::half_widths_above(mean.plain, mean.range, level);
  if (!above) {
    return std::nullopt;
  }
  return std::isinf(*above) ? 0.0 : p_of(*above * *mean.interval.t_crit, 1.0, *mean.interval.df);
}

// p of the ratio behind a comparison against the level.
std::optional<double> ratio_p(const CellObservation& cell,
                              const TargetResultRow& row,
                              const StudyObservation& observation,
                              const Study& study,
                              const RowsByCell& results) {
  const ComparisonRow* comparison = results.comparison(cell.row.id);
  if (comparison == nullptr) {
    return std::nullopt;
  }
  const auto base = std::ranges::find(observation.cells,
                                      comparison->baseline_cell_id,
                                      [](const CellObservation& other) { return other.row.id; });
  if (base == observation.cells.end()) {
    return std::nullopt;
  }
  const double factor = quantity_factor(row.metric, base->row, cell.row, observation.study.scaling);
  const TimeRatio time = time_ratio(*base, cell, factor, study);
  const stats::RatioInterval& ratio = time.interval;
  const double level = row.metric == names::kOverhead ? 1.0 - row.level : row.level;
  if (!ratio.se_log) {
    return std::nullopt;
  }
  return level > 0.0
             ? time.looks.two_sided(p_of(std::log(*ratio.ratio / level), *ratio.se_log, *ratio.df))
             : 0.0;
}

// "x", " s"; nothing for a pure number.
std::string unit_of(const std::string& name, const StudyObservation& observation) {
  if (const Metric* metric = find_metric(name)) {
    return metric->kind == MetricKind::kRatio ? "x" : " " + std::string(metric->unit);
  }
  const auto unit = observation.units.find(name);
  return unit == observation.units.end() || unit->second.empty() || unit->second == "1"
             ? ""
             : " " + unit->second;
}

std::string format_measured(const TargetResultRow& row, const std::string& unit) {
  if (!row.value) {
    return "not measured";
  }
  return is_share(row.metric)
             ? format_share(measure_of(row), " %", {row.level})
             : format_interval(measure_of(row), {.unit = unit, .levels = {row.level}});
}

std::string describe_wish(const TargetResultRow& row, const std::string& unit) {
  const std::string bound = row.bound == Bound::kAtLeast ? "at least " : "at most ";
  return bound +
         (is_share(row.metric) ? format_percent(row.level) : format_declared(row.level) + unit);
}

// One cell of a target on its way to a row.
struct JudgedCell {
  const CellObservation* cell = nullptr;
  TargetResultRow row;
  std::string unit;                  // behind its numbers
  std::string missing;               // why nothing can be decided
  std::optional<double> p;           // against the level
  std::optional<double> p_adjusted;  // over the cells of the target
};

JudgedCell judge_alone(const TargetResultRow& declared,
                       const std::string& unit,
                       const CellObservation& observed,
                       const RowsByCell& results) {
  JudgedCell judged{
      .cell = &observed, .row = declared, .unit = unit, .missing = {}, .p = {}, .p_adjusted = {}};
  judged.row.cell_id = observed.row.id;
  judged.missing = fill_value(observed.row, results, judged.row);
  judged.row.verdict = decide(judged.row);
  const ComparisonRow* row = results.comparison(observed.row.id);
  const Verdict alone = observed.row.oversubscribed  ? Verdict::kNoClaim
                        : observed.has_software_type ? Verdict::kSoftwareType
                        : row != nullptr             ? row->verdict
                                                     : Verdict::kNotEnoughData;
  if (!is_claim(alone)) {
    judged.row.verdict = kUndecided;
    judged.missing = to_word(alone);
  }
  return judged;
}

std::string describe_doubt(const JudgedCell& judged, TargetVerdict alone, std::size_t cells) {
  if (!judged.missing.empty()) {
    return " (" + judged.missing + ")";
  }
  if (judged.row.verdict != kUndecided) {
    return "";
  }
  if (alone == kUndecided) {
    return " (the interval contains the level)";
  }
  if (!judged.p || !judged.p_adjusted) {
    return " (" + to_word(alone) +
           " by its interval alone; it has no test against the level, which several cells need)";
  }
  return " (" + to_word(alone) + " by its interval alone, but with " + std::to_string(cells) +
         " cells allowed for " + say_p_value(*judged.p) + " is adjusted " +
         say_p_value(*judged.p_adjusted) + ")";
}

void describe_cell_verdict(JudgedCell& judged, TargetVerdict alone, std::size_t cells) {
  TargetResultRow& row = judged.row;
  row.finding = row.name + ": " + to_word(row.verdict) + " for " + describe_cell(judged.cell->row) +
                ": " + metric_words(row.metric) + " " + format_measured(row, judged.unit) +
                ", wanted " + describe_wish(row, judged.unit) +
                describe_doubt(judged, alone, cells) + in_brackets(survivors_note(*judged.cell));
}

// Holm over the cells of one target: their words are adjusted as those of comparisons are, unless
// every interval meets the level, which needs no adjustment (intersection-union).
void adjust_words(std::vector<JudgedCell>& cells, double alpha) {
  std::vector<std::optional<double>> p_values;
  p_values.reserve(cells.size());
  for (const JudgedCell& judged : cells) {
    p_values.push_back(judged.missing.empty() ? judged.p : std::nullopt);
  }
  const stats::AdjustedP adjusted = stats::p_adjust(p_values, stats::Adjustment::kHolm);
  const bool is_met = std::ranges::all_of(
      cells, [](const JudgedCell& judged) { return judged.row.verdict == kMet; });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const TargetVerdict alone = cells[i].row.verdict;
    cells[i].p_adjusted = i < adjusted.adjusted.size() ? adjusted.adjusted[i] : std::nullopt;
    if (!is_met && !(cells[i].p_adjusted.value_or(1.0) < alpha)) {
      cells[i].row.verdict = kUndecided;
    }
    describe_cell_verdict(cells[i], alone, cells.size());
  }
}

// The verdict of a target over several cells, from their words.
TargetResultRow judge_whole(const TargetResultRow& declared, const std::vector<JudgedCell>& cells) {
  const std::string& unit = cells.front().unit;
  const auto with = [&](TargetVerdict verdict) {
    return std::ranges::count_if(
        cells, [&](const JudgedCell& judged) { return judged.row.verdict == verdict; });
  };
  const auto first_with = [&](TargetVerdict verdict) {
    return std::ranges::find_if(
        cells, [&](const JudgedCell& judged) { return judged.row.verdict == verdict; });
  };
  const std::string all = format_count(static_cast<std::int64_t>(cells.size()), "cell");
  TargetResultRow row = declared;
  row.verdict = with(kMissed) > 0                                         ? kMissed
                : with(kMet) == static_cast<std::ptrdiff_t>(cells.size()) ? kMet
                                                                          : kUndecided;
  row.finding = row.name + ": " + to_word(row.verdict) + ": " + metric_words(row.metric) +
                ", wanted " + describe_wish(row, unit) + ", ";
  if (row.verdict == kMet) {
    row.finding += "in each of " + all;
    return row;
  }
  const auto first = first_with(row.verdict == kMissed ? kMissed : kUndecided);
  row.finding += std::to_string(with(kMissed)) + " of " + all + " missed, " +
                 std::to_string(with(kMet)) + " met, " + std::to_string(with(kUndecided)) +
                 " undecided, with all allowed for; first " + describe_cell(first->cell->row) +
                 ": " + format_measured(first->row, unit) +
                 (first->missing.empty() ? "" : " (" + first->missing + ")");
  return row;
}

}  // namespace

std::vector<TargetResultRow> judge_targets(const StudyObservation& observation,
                                           const Study& study,
                                           const Results& results) {
  std::vector<TargetResultRow> rows;
  for (const Target& target : study.analysis.targets) {
    TargetResultRow declared;
    declared.name = target.name;
    declared.metric = target.metric;
    declared.bound = target.at_least ? Bound::kAtLeast : Bound::kAtMost;
    declared.level = target.at_least.value_or(target.at_most.value_or(0.0));
    const std::string unit = unit_of(target.metric, observation);
    const auto found = observation.units.find(target.metric);
    const std::string stored_unit = found == observation.units.end() ? "" : found->second;
    const MetricRequest* request = find_request(study.analysis, target.metric);
    const Statistic statistic = request != nullptr && request->by == TrialStatistic::kP50
                                    ? Statistic::kP50
                                    : Statistic::kMean;
    const RowsByCell rows_of(results, target.metric, statistic);
    std::vector<JudgedCell> cells;
    for (const CellObservation& cell : observation.cells) {
      if (matches(cell.row, target, study)) {
        cells.push_back(judge_alone(declared, unit, cell, rows_of));
        cells.back().p = is_relative(target.metric)
                             ? ratio_p(cell, declared, observation, study, rows_of)
                             : mean_p(cell, declared, stored_unit, study);
      }
    }
    if (cells.empty()) {
      declared.verdict = kUndecided;
      declared.finding = declared.name + ": undecided: no cell with a " +
                         metric_words(declared.metric) + " matches " + format_where(target.where) +
                         ", wanted " + describe_wish(declared, unit);
      rows.push_back(declared);
    } else if (cells.size() == 1) {
      describe_cell_verdict(cells.front(), cells.front().row.verdict, 1);
    } else {
      adjust_words(cells, 1.0 - study.analysis.confidence);
      rows.push_back(judge_whole(declared, cells));
    }
    for (JudgedCell& judged : cells) {
      rows.push_back(std::move(judged.row));
    }
  }
  return rows;
}

}  // namespace scalestudy
