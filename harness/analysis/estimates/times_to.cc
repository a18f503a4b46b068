#include "harness/analysis/estimates/times_to.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/time_to.h"
#include "harness/text/number.h"
#include "stats/binomial_interval.h"
#include "stats/multiplicity.h"
#include "stats/survival.h"

namespace scalestudy {
namespace {

// The times of a cell's trials, and these trials.
struct CellTimes {
  std::vector<stats::Lifetime> times;
  TrialIds trials;
};

CellTimes times_of(const CellObservation& cell, const std::string& metric) {
  CellTimes result;
  for (const TrialObservation& trial : cell.trials) {
    if (const auto found = trial.times_to.find(metric); found != trial.times_to.end()) {
      result.times.push_back({found->second.time_s, found->second.is_reached});
      result.trials.push_back(trial.row.id);
    }
  }
  std::ranges::sort(result.trials);
  return result;
}

// Where fewer than half of the trials reach the value, the curve may still fall to one half, by the
// few that ran longest. All train for the same steps, so that is no median.
stats::MedianLifetime median_of(const CellTimes& times, double confidence) {
  stats::MedianLifetime median = stats::median_lifetime(times.times, confidence);
  if (2 * median.events < median.n) {
    median.median.reset();
    median.hi.reset();
    median.status = stats::Status::kNotReached;
  }
  return median;
}

// Whether all trials of the cell learn alike, so that how many reach the value says nothing of
// other seeds.
bool is_of_one_seed(const CellObservation& cell, const TimeToRequest& request, const Study& study) {
  return seeds_of(study, cell.row, series_to_reach(study.workload, request)) == Seeds::kOne;
}

EstimateRow row_of(const CellObservation& cell, const CellTimes& times, double confidence) {
  EstimateRow row;
  row.cell_id = cell.row.id;
  row.variant = Variant::kAll;
  row.confidence = confidence;
  row.n = static_cast<std::int64_t>(times.times.size());
  row.n_excluded = std::ssize(cell.excluded);
  row.n_planned = cell.planned;
  row.trials = times.trials;
  return row;
}

void add_estimates(const CellObservation& cell,
                   const TimeToRequest& request,
                   const Study& study,
                   std::vector<EstimateRow>& rows) {
  const double confidence = study.analysis.confidence;
  const CellTimes times = times_of(cell, time_to_metric(request));
  if (times.times.empty()) {
    return;
  }
  const stats::MedianLifetime median = median_of(times, confidence);
  EstimateRow time = row_of(cell, times, confidence);
  time.metric = time_to_metric(request);
  time.statistic = Statistic::kMedian;
  time.unit = "s";
  time.method = "kaplan_meier";
  time.value = median.median;
  time.lo = median.lo;
  time.hi = median.hi;
  time.status = row_status(median.status);
  time.definition = definition_of(cell);
  rows.push_back(std::move(time));
  const stats::BinomialInterval share =
      stats::binomial_interval(median.events, median.n, confidence);
  EstimateRow reached = row_of(cell, times, confidence);
  reached.metric = reached_metric(request);
  reached.unit = "1";
  reached.method = "clopper_pearson";
  reached.value = share.share;
  reached.lo = share.lo;
  reached.hi = share.hi;
  reached.status = row_status(share.status);
  if (is_of_one_seed(cell, request, study)) {
    reached.lo.reset();
    reached.hi.reset();
    reached.status = RowStatus::kInsufficientData;
  }
  rows.push_back(std::move(reached));
}

// A comparison before its p value is adjusted.
struct TimeComparison {
  const CellObservation* cell = nullptr;
  const CellObservation* base = nullptr;
  stats::LogRank rank;
  ComparisonRow row;
  bool is_of_one_seed = false;  // of either side
};

TimeComparison compare(const CellObservation& base,
                       const CellObservation& cell,
                       const TimeToRequest& request,
                       const Study& study) {
  const std::string metric = time_to_metric(request);
  const double confidence = study.analysis.confidence;
  const CellTimes times = times_of(cell, metric);
  const CellTimes base_times = times_of(base, metric);
  TimeComparison comparison{
      &cell, &base, stats::log_rank(base_times.times, times.times), ComparisonRow()};
  comparison.is_of_one_seed =
      is_of_one_seed(base, request, study) || is_of_one_seed(cell, request, study);
  const auto median = median_of(times, confidence).median;
  const auto base_median = median_of(base_times, confidence).median;
  ComparisonRow& row = comparison.row;
  row.cell_id = cell.row.id;
  row.baseline_cell_id = base.row.id;
  row.quantity = metric;
  row.value = median && base_median ? std::optional(*base_median / *median) : std::nullopt;
  row.confidence = confidence;
  row.p_value = comparison.is_of_one_seed ? std::nullopt : comparison.rank.p;
  row.method = RatioMethod::kLogRank;
  row.n = static_cast<std::int64_t>(times.times.size());
  row.n_baseline = static_cast<std::int64_t>(base_times.times.size());
  row.status =
      comparison.is_of_one_seed ? RowStatus::kInsufficientData : row_status(comparison.rank.status);
  row.trials = times.trials;
  row.baseline_trials = base_times.trials;
  return comparison;
}

// Whether no outcome of so few trials could have been certain.
bool is_too_small(const TimeComparison& comparison, std::size_t family, double alpha) {
  return comparison.rank.least_p && *comparison.rank.least_p * static_cast<double>(family) >= alpha;
}

Verdict verdict_of(const TimeComparison& comparison, std::size_t family, double alpha) {
  const ComparisonRow& row = comparison.row;
  if (row.p_adjusted && *row.p_adjusted < alpha) {
    return comparison.rank.excess > 0.0 ? Verdict::kFaster : Verdict::kSlower;
  }
  return !row.p_adjusted || is_too_small(comparison, family, alpha)
             ? Verdict::kNotEnoughData
             : Verdict::kNoDetectableDifference;
}

// "2 devices: 1.80x as fast as 1 device to accuracy 85 % (8 against 8 trials, p = 0.0031): faster"
std::string describe(const TimeComparison& comparison,
                     const TimeToRequest& request,
                     const Study& study) {
  const ComparisonRow& row = comparison.row;
  const std::string cell = describe_cell(comparison.cell->row);
  const std::string base = describe_against(comparison.base->row, comparison.cell->row);
  return fmt::format(
      "{} to {} ({} against {}{}): {}",
      row.value ? fmt::format("{}: {}x as fast as {}", cell, format_plain(*row.value), base)
                : cell + " against " + base,
      describe_goal(study, request),
      row.n,
      format_count(row.n_baseline, "trial"),
      row.p_adjusted ? ", " + say_p_value(*row.p_adjusted) : "",
      to_word(row.verdict));
}

void judge(TimeComparison& comparison,
           const TimeToRequest& request,
           std::size_t family,
           const Study& study) {
  ComparisonRow& row = comparison.row;
  const double alpha = 1.0 - row.confidence;
  const std::optional<NoClaim> no_claim = why_no_claim(*comparison.base, *comparison.cell);
  row.verdict = no_claim ? no_claim->verdict : verdict_of(comparison, family, alpha);
  row.doubted_cells = no_claim ? no_claim->doubted : CellIds();
  row.finding = describe(comparison, request, study);
  row.remark = row.verdict != Verdict::kNotEnoughData ? ""
               : comparison.is_of_one_seed
                   ? "all trials have one seed; vary_seed: true gives each block its own"
               : comparison.rank.least_p ? fmt::format("{} against {} cannot show a difference",
                                                       row.n,
                                                       format_count(row.n_baseline, "trial"))
                                         : "";
}

std::vector<ComparisonRow> compare_all(const StudyObservation& observation,
                                       const TimeToRequest& request,
                                       const Study& study) {
  const double confidence = study.analysis.confidence;
  std::vector<TimeComparison> all;
  std::vector<std::optional<double>> p_values;
  for (const CellObservation& cell : observation.cells) {
    const CellObservation* base = observation.find_cell(cell.row.baseline);
    if (cell.row.role != CellRole::kMeasured || base == nullptr || base == &cell) {
      continue;
    }
    TimeComparison comparison = compare(*base, cell, request, study);
    if (comparison.row.n > 0 && comparison.row.n_baseline > 0) {
      p_values.push_back(why_no_claim(*base, cell) ? std::nullopt : comparison.row.p_value);
      all.push_back(std::move(comparison));
    }
  }
  const stats::AdjustedP adjusted = stats::holm(p_values);
  const stats::Resolution resolution = stats::resolve(p_values, 1.0 - confidence);
  std::vector<ComparisonRow> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ComparisonRow& row = all[i].row;
    row.p_adjusted = adjusted.adjusted.at(i);
    if (row.p_adjusted) {
      row.alpha_star = resolution.alpha_star;
      row.family_size = static_cast<std::int64_t>(resolution.family);
      row.rejected = static_cast<std::int64_t>(resolution.rejected);
    }
    judge(all[i], request, resolution.family, study);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

TimesTo times_to(const StudyObservation& observation, const Study& study) {
  TimesTo result;
  for (const TimeToRequest& request : study.analysis.time_to) {
    for (const CellObservation& cell : observation.cells) {
      if (cell.row.role == CellRole::kMeasured) {
        add_estimates(cell, request, study, result.estimates);
      }
    }
    const std::vector<ComparisonRow> rows = compare_all(observation, request, study);
    result.comparisons.insert(result.comparisons.end(), rows.begin(), rows.end());
  }
  return result;
}

}  // namespace scalestudy
