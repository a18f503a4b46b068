#include "harness/analysis/observe/times_to.h"

#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/analysis/observe/epochs.h"
#include "harness/analysis/observe/flags.h"
#include "harness/store/tables/summary.h"
#include "harness/study/parameters/time_to.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

struct Clocked {
  TrialObservation* trial = nullptr;
  const CellRow* cell = nullptr;
  std::vector<double> ends_s;  // of all steps, from the begin of the first
};

// Steps of an epoch of `train`; 0 if that is not known.
std::size_t steps_per_epoch(const CellRow& cell) {
  for (const CellRow::Parameter& parameter : cell.parameters) {
    if (parameter.name == "train_samples" && cell.batch_global.value_or(0) > 0) {
      const double steps =
          parameter.number().value_or(0.0) / static_cast<double>(*cell.batch_global);
      return steps >= 1.0 && steps < 1e15 ? static_cast<std::size_t>(steps) : 0;
    }
  }
  return 0;
}

// The step times of all ranks are those of the slowest at each step, which add up to more than the
// time that passed: they are scaled to the step time of the trial.
std::vector<double> ends_of_steps(const SeriesRow& series, const TrialObservation& trial) {
  const auto measured = measured_values(series);
  const auto step = trial.metrics.find(kStepTime);
  const double sum = std::accumulate(measured.begin(), measured.end(), 0.0);
  std::vector<double> ends(series.values.size());
  if (step == trial.metrics.end() || !(sum > 0.0) || !std::isfinite(step->second.mean)) {
    return {};
  }
  std::partial_sum(series.values.begin(), series.values.end(), ends.begin());
  const double scale =
      trial.covered_steps * step->second.mean * static_cast<double>(measured.size()) / sum;
  for (double& end : ends) {
    end *= scale;
  }
  return ends;
}

// Whether the times that a command prints cannot be all of its steps: they add up to next to
// nothing of its trial, as where each epoch has a line with the time of one step.
bool is_of_some_steps(const std::vector<double>& ends_s,
                      const TrialRow& trial,
                      const Study& study) {
  constexpr double least = 0.01;
  return !study.extract.empty() && !ends_s.empty() &&
         ends_s.back() < least * trial.wall_s.value_or(0.0);
}

// The time of training at the end of what the value is of; absent if that is unknown.
std::optional<double> end_of(const Clocked& clocked, const SeriesRow& series, std::size_t value) {
  const std::size_t steps = is_of_epochs(series.metric) ? steps_per_epoch(*clocked.cell)
                            : series.values.size() == clocked.ends_s.size() ? 1
                                                                            : 0;
  const std::size_t end = steps * (value + 1);
  return end > 0 && end <= clocked.ends_s.size() ? std::optional(clocked.ends_s[end - 1])
                                                 : std::nullopt;
}

std::optional<TimeTo> time_to(const Clocked& clocked,
                              const SeriesRow& series,
                              const TimeToRequest& request) {
  std::optional<TimeTo> last;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const std::optional<double> end = end_of(clocked, series, i);
    if (!end || !is_step_time(*end)) {
      return std::nullopt;
    }
    last = TimeTo{*end, request.is_reached_by(series.values[i])};
    if (last->is_reached) {
      break;
    }
  }
  return last;
}

}  // namespace

void find_times_to(const Store& store,
                   std::int64_t study_id,
                   const Study& study,
                   StudyObservation& observation) {
  if (study.analysis.time_to.empty()) {
    return;
  }
  std::unordered_map<std::int64_t, Clocked> clocked;
  for (CellObservation& cell : observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      clocked.emplace(trial.row.id, Clocked{&trial, &cell.row, {}});
    }
  }
  store.for_each_series(study_id, kStepTime, [&](const TrialRow& row, const SeriesRow& series) {
    if (const auto found = clocked.find(row.id); found != clocked.end()) {
      std::vector<double> ends_s = ends_of_steps(series, *found->second.trial);
      if (!is_of_some_steps(ends_s, row, study)) {
        found->second.ends_s = std::move(ends_s);
      }
    }
  });
  for (const TimeToRequest& request : study.analysis.time_to) {
    const std::string metric = series_to_reach(study.workload, request);
    store.for_each_series(study_id, metric, [&](const TrialRow& row, const SeriesRow& series) {
      const auto found = clocked.find(row.id);
      const std::optional<TimeTo> time =
          found == clocked.end() ? std::nullopt : time_to(found->second, series, request);
      if (time) {
        found->second.trial->times_to[time_to_metric(request)] = *time;
      }
    });
  }
}

}  // namespace scalestudy
