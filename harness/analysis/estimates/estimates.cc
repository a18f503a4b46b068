#include "harness/analysis/estimates/estimates.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/analysis/cells/rates.h"
#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/estimates/costs.h"
#include "harness/analysis/estimates/precision.h"
#include "harness/study/parameters/metrics.h"
#include "stats/estimate.h"
#include "stats/summary.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// The number of one trial that a statistic is made of; absent when the trial does not have it.
using TrialValue = std::function<std::optional<double>(const TrialObservation&)>;

struct Sample {
  SessionValues by_session;
  std::vector<double> values;
  TrialIds trials;  // whose values these are
  std::int64_t excluded = 0;
};

//   seeds  seeds_of(): of each seed the first trial that counts.
Sample collect(const CellObservation& cell,
               Variant variant,
               const TrialValue& value_of,
               Seeds seeds = Seeds::kNone) {
  Sample sample;
  std::set<SessionBlock> counted;
  for (const TrialObservation& trial :
       variant == Variant::kWithDisturbed ? cell.as_met : cell.trials) {
    const std::optional<double> value = value_of(trial);
    if (!value) {
      continue;
    }
    const bool is_disturbed = trial.row.disturbance != Disturbance::kNone;
    if ((variant == Variant::kUnflagged && trial.flagged) ||
        (variant == Variant::kUndisturbed && is_disturbed)) {
      ++sample.excluded;
    } else if (const SessionBlock block = counted_block(trial.row, seeds);
               counted.insert(block).second || seeds == Seeds::kNone) {
      sample.values.push_back(*value);
      sample.by_session[block.first].push_back(*value);
      sample.trials.push_back(trial.row.id);
    }
  }
  std::ranges::sort(sample.trials);
  return sample;
}

TrialValue field(const std::string& metric, double TrialMetric::*member) {
  return [metric, member](const TrialObservation& trial) -> std::optional<double> {
    const auto found = trial.metrics.find(metric);
    return found == trial.metrics.end() ? std::nullopt
                                        : std::optional<double>(found->second.*member);
  };
}

// Sum of the means of parts over another mean, inside a trial; absent where it lacks one of them.
TrialValue share(const std::vector<std::string>& parts, const std::string& whole) {
  return [parts, whole](const TrialObservation& trial) -> std::optional<double> {
    const auto denominator = trial.metrics.find(whole);
    if (denominator == trial.metrics.end() || !(denominator->second.mean > 0.0)) {
      return std::nullopt;
    }
    double sum = 0.0;
    for (const std::string& part : parts) {
      const auto found = trial.metrics.find(part);
      if (found == trial.metrics.end()) {
        return std::nullopt;
      }
      sum += found->second.mean;
    }
    return sum / denominator->second.mean;
  };
}

// Tails are of the step times over ranks, whatever the time of a step is.
bool follows_from_step_time(const CellObservation& cell, const EstimateRow& row) {
  return row.metric == kStepTime
             ? row.statistic == Statistic::kMean || row.statistic == Statistic::kRelativeHalfWidth
             : step_shares().contains(row.metric) || row.metric == kUtilization ||
                   rate_amount(cell, row.metric).has_value();
}

// The rows of one cell and one variant.
class CellEstimates {
 public:
  CellEstimates(const CellObservation& cell, const Study& study, Variant variant)
      : cell_(cell), study_(study), variant_(variant), definition_(definition_of(cell)) {}

  // The t interval over trials; a row without any trial is left out unless it is `required`.
  void add_mean(const EstimateRow& named, const TrialValue& value_of, bool required) {
    const Sample sample = collect(cell_, variant_, value_of, seeds_of(named));
    if (!required && sample.values.empty() && sample.excluded == 0) {
      return;
    }
    const TrialsInterval mean = over_trials(named, sample);
    add(named, sample, mean.interval, mean.method);
  }

  // A quantile inside each trial, then the t interval over trials. The rule of tail_across_trials
  // in stats, which wants all steps of all trials in memory: five steps beyond the quantile in
  // every trial. A tail quantile of few steps is too low on average, which more trials make the
  // interval miss: below 2.5 steps beyond it for every trial there is a value and no interval. A
  // median by which cells are compared has a value of any number of steps, as the ratio has.
  void add_tail(const EstimateRow& named, double TrialMetric::*quantile, double p) {
    constexpr double median = 0.5;
    constexpr double slack = 1e-9;
    constexpr double least_beyond = 5.0 - slack;
    constexpr double least_beyond_per_trial = 2.5;
    const Sample sample = collect(cell_, variant_, field(named.metric, quantile), seeds_of(named));
    if (sample.values.empty() && sample.excluded == 0) {
      return;
    }
    double fewest_beyond = std::numeric_limits<double>::infinity();
    for (const TrialObservation& trial : cell_.trials) {
      if (const auto found = trial.metrics.find(named.metric); found != trial.metrics.end()) {
        const double beyond = static_cast<double>(found->second.steps) * std::min(p, 1.0 - p);
        fewest_beyond = std::min(fewest_beyond, beyond);
      }
    }
    stats::MeanInterval interval = over_trials(named, sample).interval;
    const double wanted =
        least_beyond_per_trial * static_cast<double>(sample.values.size()) - slack;
    const MetricRequest* request = find_request(study_.analysis, named.metric);
    const bool is_compared =
        p == median && request != nullptr && request->by == TrialStatistic::kP50;
    if (fewest_beyond < least_beyond && !is_compared) {
      interval = {};
      interval.status = stats::Status::kUnattainable;
    } else if (fewest_beyond < (p == median ? least_beyond : wanted) && interval.lo) {
      interval.lo.reset();
      interval.hi.reset();
      interval.status = stats::Status::kUnattainable;
    }
    add(named, sample, interval, "tail_across_trials");
  }

  // Rates are maps of the mean of their time, so that they never contradict it.
  void add_maps() {
    for (const Rate& rate : rates_of(cell_)) {
      const Sample sample =
          collect(cell_, variant_, field(std::string(rate.time), &TrialMetric::mean));
      if (rate.time != kStepTime && sample.values.empty()) {
        continue;
      }
      const TrialsInterval times = over_trials(time_row(rate.time), sample);
      const stats::Estimate time_s = stats::estimate_of(times.interval);
      add_map(std::string(rate.metric),
              std::string(rate.unit),
              sample,
              times,
              stats::invert_estimate(time_s, rate.amount),
              rate.amount);
    }
  }

  // What stopped the cell's trials, and how well it was known by then; an adaptive study's only.
  void add_stop(const EstimateRow& named, const StudyObservation& observation) {
    const std::optional<CellStop> stop = find_stop(cell_, observation, study_);
    if (!stop || variant_ == Variant::kUnflagged) {
      return;
    }
    stats::MeanInterval achieved;
    achieved.mean = stop->achieved.relative_half_width;
    add(named,
        collect(cell_, variant_, field(kStepTime, &TrialMetric::mean)),
        achieved,
        "stopping_rule");
    rows_.back().status = stop->reason;
  }

  bool has(const std::string& metric) const {
    return std::ranges::find(rows_, metric, &EstimateRow::metric) != rows_.end();
  }

  std::vector<EstimateRow> take() { return std::move(rows_); }

 private:
  Seeds seeds_of(const EstimateRow& row) const {
    return scalestudy::seeds_of(study_, cell_.row, row.metric);
  }

  TrialsInterval over_trials(const EstimateRow& row, const Sample& sample) const {
    return interval_over_trials(
        sample.by_session, study_.analysis.confidence, range_of(study_, row.metric, row.unit));
  }

  static EstimateRow time_row(std::string_view metric) {
    EstimateRow row;
    row.metric = metric;
    row.unit = "s";
    return row;
  }

  void add(EstimateRow row,
           const Sample& sample,
           const stats::MeanInterval& interval,
           const std::string& method) {
    row.cell_id = cell_.row.id;
    row.variant = variant_;
    row.value = interval.mean;
    row.lo = interval.lo;
    row.hi = interval.hi;
    row.sd = interval.sd;
    row.confidence = study_.analysis.confidence;
    row.method = method;
    row.n = static_cast<std::int64_t>(sample.values.size());
    row.n_excluded = sample.excluded + std::ssize(cell_.excluded);
    row.trials = sample.trials;
    row.n_planned = cell_.planned;
    row.status = row_status(interval.status);
    if (follows_from_step_time(cell_, row)) {
      row.definition = definition_;
    }
    if (variant_ == Variant::kUnflagged) {
      refuse_interval(row);
    }
    rows_.push_back(std::move(row));
  }

  // Trials were left out for being far from the others: no interval of the rest allows for that
  // (stats/METHODS.md: it would cover 51 to 84 %).
  static void refuse_interval(EstimateRow& row) {
    row.lo.reset();
    row.hi.reset();
    row.status = row.status == RowStatus::kOk || row.status == RowStatus::kZeroVariance
                     ? RowStatus::kUnflagged
                     : row.status;
  }

  // rate_numerator  trial values are rate_numerator / step time.
  void add_map(const std::string& metric,
               const std::string& unit,
               const Sample& sample,
               const TrialsInterval& mean,
               const stats::Estimate& mapped,
               double rate_numerator) {
    EstimateRow named;
    named.metric = metric;
    named.statistic = Statistic::kMean;
    named.unit = unit;
    const stats::MeanInterval& times = mean.interval;
    add(named, sample, times, mean.method);
    EstimateRow& row = rows_.back();
    row.value = mapped.value;
    if (variant_ != Variant::kUnflagged) {
      row.lo = mapped.lo;
      row.hi = mapped.hi;
    }
    row.sd.reset();
    if (times.sd) {
      std::vector<double> rates;
      rates.reserve(sample.values.size());
      for (const double time_s : sample.values) {
        rates.push_back(rate_numerator / time_s);
      }
      row.sd = stats::standard_deviation(rates);
    }
  }

  const CellObservation& cell_;
  const Study& study_;
  Variant variant_;
  std::optional<StepTimeDefinition> definition_;
  std::vector<EstimateRow> rows_;
};

EstimateRow named(const std::string& metric, Statistic statistic, const std::string& unit) {
  EstimateRow row;
  row.metric = metric;
  row.statistic = statistic;
  row.unit = unit;
  return row;
}

void add_step_time(CellEstimates& estimates) {
  estimates.add_mean(
      named(kStepTime, Statistic::kMean, "s"), field(kStepTime, &TrialMetric::mean), true);
  estimates.add_tail(named(kStepTime, Statistic::kP50, "s"), &TrialMetric::p50, 0.50);
  estimates.add_tail(named(kStepTime, Statistic::kP95, "s"), &TrialMetric::p95, 0.95);
  estimates.add_tail(named(kStepTime, Statistic::kP99, "s"), &TrialMetric::p99, 0.99);
  estimates.add_maps();
}

bool is_of_disturbed(Variant variant) {
  return variant == Variant::kUndisturbed || variant == Variant::kWithDisturbed;
}

std::vector<EstimateRow> estimate_cell(const CellObservation& cell,
                                       const StudyObservation& observation,
                                       const Study& study,
                                       Variant variant) {
  CellEstimates estimates(cell, study, variant);
  if (is_of_disturbed(variant)) {
    if (!cell.as_met.empty()) {
      estimates.add_mean(
          named(kStepTime, Statistic::kMean, "s"), field(kStepTime, &TrialMetric::mean), true);
      estimates.add_maps();
    }
    return estimates.take();
  }
  const bool is_command = study.workload == Workload::kCommand;
  // Without any value nobody knows what a command prints, but every trial is to give step times.
  if (!is_command || observation.units.empty() || observation.units.contains(kStepTime)) {
    add_step_time(estimates);
    estimates.add_stop(named(kStepTime, Statistic::kRelativeHalfWidth, "1"), observation);
  }
  for (const auto& [metric, parts] : step_shares()) {
    estimates.add_mean(named(metric, Statistic::kMean, "1"), share(parts, kStepTime), false);
  }
  estimates.add_mean(
      named("overlap_efficiency", Statistic::kMean, "1"), share({kHidden}, kCommunication), false);
  for (const auto& [metric, unit] : observation.units) {
    if (metric == names::kLoss) {
      estimates.add_mean(
          named("loss_final", Statistic::kMean, unit), field(metric, &TrialMetric::last), false);
    }
    const bool is_requested = find_request(study.analysis, metric) != nullptr;
    if (metric == names::kLoss && !is_command && !is_requested) {
      continue;
    }
    // A stored mean never stands beside a map of the step time under the same name.
    const bool is_map = estimates.has(metric);
    if (!is_map) {
      estimates.add_mean(
          named(metric, Statistic::kMean, unit), field(metric, &TrialMetric::mean), false);
    }
    if ((is_command && !is_map) || is_requested) {
      estimates.add_tail(named(metric, Statistic::kP50, unit), &TrialMetric::p50, 0.50);
      estimates.add_tail(named(metric, Statistic::kP95, unit), &TrialMetric::p95, 0.95);
    }
  }
  return estimates.take();
}

}  // namespace

std::vector<EstimateRow> estimate_cells(const StudyObservation& observation, const Study& study) {
  std::vector<EstimateRow> rows;
  for (const CellObservation& cell : observation.cells) {
    for (const Variant variant :
         {Variant::kAll, Variant::kUnflagged, Variant::kUndisturbed, Variant::kWithDisturbed}) {
      for (EstimateRow& row : estimate_cell(cell, observation, study, variant)) {
        const bool is_time = row.metric == kStepTime && row.statistic == Statistic::kMean;
        const std::vector<EstimateRow> costs =
            is_time ? cost_estimates(row, cell, study) : std::vector<EstimateRow>();
        rows.push_back(std::move(row));
        rows.insert(rows.end(), costs.begin(), costs.end());
      }
    }
  }
  return rows;
}

}  // namespace scalestudy
