#include "harness/analysis/compare/targets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/groups.h"
#include "harness/analysis/cells/rates.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/questions.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
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

double level_of(const Target& target) {
  return target.at_least.value_or(target.at_most.value_or(0.0));
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

// p of the mean time behind a rate against that of the level, or of the mean that a stored metric
// has; absent of what follows otherwise.
std::optional<double> mean_p(const CellObservation& cell,
                             const std::string& metric,
                             double wanted,
                             const std::string& unit,
                             const Study& study) {
  const MetricRequest* request = find_request(study.analysis, metric);
  double TrialMetric::*const statistic =
      request == nullptr ? &TrialMetric::mean : statistic_of(*request);
  const std::vector<Rate> rates = rates_of(cell);
  const auto rate = std::ranges::find(rates, metric, &Rate::metric);
  const SessionValues times_s =
      rate == rates.end() ? SessionValues() : session_values(cell, std::string(rate->time));
  const double level = times_s.empty() ? wanted : rate->amount / wanted;
  const Seeds seeds = seeds_of(study, cell.row, metric);
  const TrialsInterval mean =
      times_s.empty()
          ? interval_over_trials(session_values(cell, metric, statistic, seeds),
                                 study.analysis.confidence,
                                 range_of(study, metric, unit))
          : interval_over_trials(times_s, study.analysis.confidence, stats::Range::kPositive);
  const auto above = stats::half_widths_above(mean.plain, mean.range, level);
  if (!above) {
    return std::nullopt;
  }
  return std::isinf(*above) ? 0.0 : p_of(*above * *mean.interval.t_crit, 1.0, *mean.interval.df);
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
  std::string unit;     // after its numbers
  std::string missing;  // why nothing can be decided
};

// By the question's decision; by the interval where the only cell has no test against the level.
TargetVerdict verdict_of(const TargetResultRow& row, const Question& question, bool is_alone) {
  const auto found = question.cells.find(*row.cell_id);
  if (found == question.cells.end()) {
    return is_alone ? decide(row) : kUndecided;
  }
  const int above = is_overhead(row.metric) ? -found->second.sign : found->second.sign;
  const int wanted = row.bound == Bound::kAtLeast ? 1 : -1;
  return above == 0 ? kUndecided : above == wanted ? kMet : kMissed;
}

std::string describe_doubt(const JudgedCell& judged) {
  const TargetResultRow& row = judged.row;
  if (!judged.missing.empty()) {
    return " (" + judged.missing + ")";
  }
  if (row.verdict != kUndecided) {
    return "";
  }
  const TargetVerdict alone = decide(row);
  if (alone == kUndecided) {
    return " (the interval contains the level)";
  }
  return " (" + to_word(alone) + " by its interval alone, " +
         (row.alpha_star
              ? "not after adjustment for " + format_count(*row.family_size, "comparison")
              : "but it has no test against the level, which several cells need") +
         ")";
}

JudgedCell judge_cell(const TargetResultRow& declared,
                      const std::string& unit,
                      const CellObservation& observed,
                      const RowsByCell& results,
                      const Question& question,
                      bool is_alone) {
  JudgedCell judged{.cell = &observed, .row = declared, .unit = unit, .missing = {}};
  TargetResultRow& row = judged.row;
  row.cell_id = observed.row.id;
  judged.missing = fill_value(observed.row, results, row);
  row.verdict = verdict_of(row, question, is_alone);
  const ComparisonRow* compared = results.comparison(observed.row.id);
  const Verdict alone = observed.row.oversubscribed  ? Verdict::kNoClaim
                        : observed.has_software_type ? Verdict::kSoftwareType
                        : compared != nullptr        ? compared->verdict
                                                     : Verdict::kNotEnoughData;
  if (!is_claim(alone)) {
    judged.missing = to_word(alone);
  }
  if (!judged.missing.empty()) {
    row.verdict = kUndecided;
  }
  if (question.cells.contains(observed.row.id)) {
    row.alpha_star = question.resolution.alpha_star;
    row.family_size = static_cast<std::int64_t>(question.resolution.family);
    row.rejected = static_cast<std::int64_t>(question.resolution.rejected);
  }
  row.finding = row.name + ": " + to_word(row.verdict) + " for " + describe_cell(observed.row) +
                ": " + metric_words(row.metric) + " " + format_measured(row, unit) + ", wanted " +
                describe_wish(row, unit) + describe_doubt(judged) +
                in_brackets(survivors_note(observed));
  return judged;
}

// The questions of all targets on a metric that is compared with nothing: over all cells that one
// of them names.
std::vector<Question> ask_alone(const std::string& metric,
                                const StudyObservation& observation,
                                const Study& study,
                                const RowsByCell& results) {
  const auto found = observation.units.find(metric);
  const std::string unit = found == observation.units.end() ? "" : found->second;
  std::vector<double> levels;
  std::vector<Member> members;
  for (const CellObservation& cell : observation.cells) {
    const EstimateRow* row = results.estimate(cell.row.id);
    const bool is_named = std::ranges::any_of(study.analysis.targets, [&](const Target& target) {
      return target.metric == metric && matches(cell.row, target, study);
    });
    if (is_named && has_claim(cell) && row != nullptr && row->value && row->lo && row->hi) {
      members.push_back(
          {.cell_id = cell.row.id, .value = *row->value, .p = [&, metric, unit](double level) {
             return mean_p(cell, metric, level, unit, study);
           }});
    }
  }
  for (const Target& target : study.analysis.targets) {
    if (target.metric == metric) {
      levels.push_back(level_of(target));
    }
  }
  return ask(members, levels, 1.0 - study.analysis.confidence);
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
  std::map<std::string, std::vector<Question>> asked;
  for (const Target& target : study.analysis.targets) {
    TargetResultRow declared;
    declared.name = target.name;
    declared.metric = target.metric;
    declared.bound = target.at_least ? Bound::kAtLeast : Bound::kAtMost;
    declared.level = level_of(target);
    const std::string unit = unit_of(target.metric, observation);
    const MetricRequest* request = find_request(study.analysis, target.metric);
    const Statistic statistic = request != nullptr && request->by == TrialStatistic::kP50
                                    ? Statistic::kP50
                                    : Statistic::kMean;
    const RowsByCell rows_of(results, target.metric, statistic);
    const bool is_ratio = is_relative(target.metric);
    if (!asked.contains(target.metric)) {
      asked[target.metric] = is_ratio ? ask(target.metric, observation, study)
                                      : ask_alone(target.metric, observation, study, rows_of);
    }
    const Question& question =
        at_level(asked[target.metric],
                 is_ratio ? ratio_level(target.metric, declared.level) : declared.level);
    std::vector<const CellObservation*> matching;
    for (const CellObservation& cell : observation.cells) {
      if (matches(cell.row, target, study)) {
        matching.push_back(&cell);
      }
    }
    std::vector<JudgedCell> cells;
    for (const CellObservation* cell : matching) {
      cells.push_back(judge_cell(declared, unit, *cell, rows_of, question, matching.size() == 1));
    }
    if (cells.empty()) {
      declared.verdict = kUndecided;
      declared.finding = declared.name + ": undecided: no cell with a " +
                         metric_words(declared.metric) + " matches " + format_where(target.where) +
                         ", wanted " + describe_wish(declared, unit);
      rows.push_back(declared);
    } else if (cells.size() > 1) {
      rows.push_back(judge_whole(declared, cells));
    }
    for (JudgedCell& judged : cells) {
      rows.push_back(std::move(judged.row));
    }
  }
  return rows;
}

}  // namespace scalestudy
