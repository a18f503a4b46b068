#include "harness/analysis/pilot.h"

#include <algorithm>

#include "stats/planning.h"
#include "stats/stopping.h"
#include "stats/summary.h"

namespace scalestudy {

std::optional<PilotOutlook> pilot_outlook(const Study& study,
                                          std::span<const double> trial_means_s,
                                          std::int64_t comparisons) {
  constexpr double power = 0.8;
  const stats::Description summary = stats::descriptive(trial_means_s);
  if (!summary.cv || !(*summary.cv > 0.0)) {
    return std::nullopt;
  }
  const double alpha = (1.0 - study.analysis.confidence) /
                       static_cast<double>(std::max<std::int64_t>(comparisons, 1));
  PilotOutlook outlook;
  outlook.cv = *summary.cv;
  outlook.detectable = stats::detectable_ratio(
                           static_cast<std::size_t>(study.trials.count), outlook.cv, alpha, power)
                           .rel_diff;
  const stats::TwoSampleSize size =
      stats::sample_size_two_sample(outlook.cv, study.analysis.margin, alpha, power);
  if (size.n_per_group) {
    outlook.trials_for_margin = static_cast<std::int64_t>(*size.n_per_group);
  }
  return outlook;
}

std::optional<TrialsNeeded> trials_for_precision(const Study& study,
                                                 std::span<const double> trial_means_s,
                                                 double rel_half_width) {
  const stats::PilotSampleSize size =
      stats::sample_size_from_pilot(trial_means_s, rel_half_width, study.analysis.confidence);
  if (!size.cv) {
    return std::nullopt;
  }
  const auto count = [](const std::optional<std::size_t>& n) {
    return n ? std::optional(static_cast<std::int64_t>(*n)) : std::nullopt;
  };
  return TrialsNeeded{.n = count(size.n), .lo = count(size.n_lo), .hi = count(size.n_hi)};
}

}  // namespace scalestudy
