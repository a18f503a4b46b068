#include "stats/reference/throughput.h"

#include "stats/check.h"
#include "stats/sum.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

double total(std::span<const double> values) {
  return pairwise_sum(0, values.size(), [&](std::size_t i) { return values[i]; });
}

bool have_same_shape(std::span<const std::vector<double>> a,
                     std::span<const std::vector<double>> b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) {
      return false;
    }
  }
  return true;
}

}  // namespace

CellThroughput cell_throughput(std::span<const std::vector<double>> steps,
                               double samples_per_step,
                               double gpus,
                               std::optional<double> price_per_gpu_hour,
                               double level) {
  CellThroughput result;
  const bool is_price_valid =
      !price_per_gpu_hour || *price_per_gpu_hour == 0.0 || is_positive(*price_per_gpu_hour);
  if (!all_trials_positive(steps) || !is_positive(samples_per_step) || !is_positive(gpus) ||
      !is_price_valid) {
    result.status = Status::kInvalidInput;
    return result;
  }
  for (const std::vector<double>& trial : steps) {
    const double step_time_s = moments(trial).mean;
    result.trial_step_time_s.push_back(step_time_s);
    result.trial_throughput.push_back(samples_per_step / step_time_s);
  }
  result.step_time = mean_ci_t(result.trial_step_time_s, level);
  result.status = result.step_time.status;
  const Estimate step_time = estimate_of(result.step_time);
  result.throughput = invert_estimate(step_time, samples_per_step);
  result.per_gpu = scale_estimate(result.throughput, 1.0 / gpus);
  if (price_per_gpu_hour) {
    result.cost_per_million_samples =
        cost_per_million_samples(step_time, samples_per_step, gpus, *price_per_gpu_hour);
  }
  return result;
}

CellThroughputUnequal cell_throughput_unequal(std::span<const std::vector<double>> steps,
                                              std::span<const std::vector<double>> samples,
                                              double level) {
  CellThroughputUnequal result;
  if (!all_trials_positive(steps) || !all_trials_positive(samples) ||
      !have_same_shape(steps, samples)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  std::vector<double> seconds_per_sample;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double seconds = total(steps[i]);
    const double work = total(samples[i]);
    seconds_per_sample.push_back(seconds / work);
    result.trial_throughput.push_back(work / seconds);
  }
  result.seconds_per_sample = mean_ci_t(seconds_per_sample, level);
  result.status = result.seconds_per_sample.status;
  result.throughput = invert_estimate(estimate_of(result.seconds_per_sample), 1.0);
  return result;
}

}  // namespace scalestudy::stats
