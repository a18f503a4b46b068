#include "harness/analysis/studies/pilot.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/planning.h"
#include "stats/stopping.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

constexpr double kPower = 0.8;

double level_of(const Study& study, std::int64_t comparisons) {
  return (1.0 - study.analysis.confidence) /
         static_cast<double>(std::max<std::int64_t>(comparisons, 1));
}

}  // namespace

std::optional<PilotOutlook> pilot_outlook(const Study& study,
                                          std::span<const double> trial_means_s,
                                          std::int64_t comparisons) {
  const std::optional<double> cv = stats::coefficient_of_variation(trial_means_s);
  if (!cv || !(*cv > 0.0)) {
    return std::nullopt;
  }
  const double alpha = level_of(study, comparisons);
  PilotOutlook outlook;
  outlook.cv = *cv;
  if (const double n = study.trials.count; n >= 2.0) {
    outlook.half_width =
        stats::student_t_critical(study.analysis.confidence, n - 1.0) * outlook.cv / std::sqrt(n);
  }
  outlook.detectable = stats::detectable_ratio(
                           static_cast<std::size_t>(study.trials.count), outlook.cv, alpha, kPower)
                           .rel_diff;
  const stats::TwoSampleSize size =
      stats::sample_size_two_sample(outlook.cv, study.analysis.margin, alpha, kPower);
  if (size.n_per_group) {
    outlook.trials_for_margin = static_cast<std::int64_t>(*size.n_per_group);
  }
  return outlook;
}

std::optional<stats::VerdictWord> expected_verdict(const Study& study,
                                                   std::span<const double> trial_means_s,
                                                   std::span<const double> base_means_s,
                                                   std::int64_t comparisons) {
  const std::optional<double> own = stats::coefficient_of_variation(trial_means_s);
  const std::optional<double> base = stats::coefficient_of_variation(base_means_s);
  const double cv =
      std::sqrt((std::pow(own.value_or(0.0), 2) + std::pow(base.value_or(0.0), 2)) / 2.0);
  const double n = study.trials.count;
  if (!own || !base || !(cv > 0.0)) {
    return std::nullopt;
  }
  if (n < 2.0) {
    return stats::VerdictWord::kNoDetectableDifference;
  }
  const double alpha = level_of(study, comparisons);
  const double log_ratio = std::log(*stats::mean(base_means_s) / *stats::mean(trial_means_s));
  const double freedom = 2.0 * n - 2.0;
  const double error = cv * std::sqrt(2.0 / n);
  const double critical = stats::student_t_critical(1.0 - 2.0 * alpha, freedom);
  const auto missed = [&](double distance) {
    return stats::student_t_upper_tail(distance / error - critical, freedom);
  };
  const double margin = std::log1p(study.analysis.margin);
  if (1.0 - missed(margin - log_ratio) - missed(margin + log_ratio) >= kPower) {
    return stats::VerdictWord::kEquivalent;
  }
  const auto detectable =
      stats::detectable_ratio(static_cast<std::size_t>(n), cv, alpha, kPower).rel_diff;
  if (!detectable || std::abs(log_ratio) < std::log1p(*detectable)) {
    return stats::VerdictWord::kNoDetectableDifference;
  }
  return log_ratio > 0.0 ? stats::VerdictWord::kFaster : stats::VerdictWord::kSlower;
}

std::optional<TrialsNeeded> trials_for_precision(const Study& study,
                                                 std::span<const double> trial_means_s,
                                                 double rel_half_width,
                                                 std::optional<double> df) {
  const stats::PilotSampleSize size =
      stats::sample_size_from_pilot(trial_means_s, rel_half_width, study.analysis.confidence, df);
  if (!size.cv) {
    return std::nullopt;
  }
  const auto count = [](const std::optional<std::size_t>& n) {
    return n ? std::optional(static_cast<std::int64_t>(*n)) : std::nullopt;
  };
  return TrialsNeeded{.n = count(size.n), .lo = count(size.n_lo), .hi = count(size.n_hi)};
}

}  // namespace scalestudy
