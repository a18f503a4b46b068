#include "harness/analysis/precision.h"

#include "stats/mean_interval.h"

namespace scalestudy {

std::pair<std::optional<double>, bool> trial_precision(const Study& study,
                                                       std::span<const double> trial_means_s) {
  const stats::MeanInterval interval = stats::mean_ci_t(trial_means_s, study.analysis.confidence);
  const std::optional<double> width = interval.half_width_relative;
  return {width, width && study.trials.until && *width <= *study.trials.until};
}

}  // namespace scalestudy
