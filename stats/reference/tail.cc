#include "stats/reference/tail.h"

#include <algorithm>

#include "stats/check.h"
#include "stats/summary.h"

namespace scalestudy::stats {

TailAcrossTrials tail_across_trials(std::span<const std::vector<double>> steps,
                                    double p,
                                    double level) {
  // 50 * (1 - 0.9) is 4.999...: the slack keeps the rule at its round numbers.
  constexpr double least_steps_beyond = 5.0 - 1e-9;
  TailAcrossTrials result;
  if (!all_trials_positive(steps) || !is_level(p) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  const bool is_attainable = std::all_of(steps.begin(), steps.end(), [&](const auto& trial) {
    return static_cast<double>(trial.size()) * std::min(p, 1.0 - p) >= least_steps_beyond;
  });
  if (!is_attainable) {
    result.status = Status::kUnattainable;
    return result;
  }
  for (const std::vector<double>& trial : steps) {
    result.trial_quantiles.push_back(sorted_quantile(sorted_copy(trial), p));
  }
  result.across_trials = mean_ci_t(result.trial_quantiles, level);
  result.status = result.across_trials.status;
  return result;
}

}  // namespace scalestudy::stats
