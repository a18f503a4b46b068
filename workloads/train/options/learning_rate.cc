#include "workloads/train/options/learning_rate.h"

#include <cmath>

namespace scalestudy::train {
namespace {

constexpr double kMilestoneFactor = 0.1;

double scale_of(const Options& options) {
  const auto ranks = static_cast<double>(options.ranks());
  switch (options.rate_scale) {
    case RateScale::kLinear:
      return ranks;
    case RateScale::kRoot:
      return std::sqrt(ranks);
    case RateScale::kNone:
      break;
  }
  return 1.0;
}

}  // namespace

double learning_rate(const Options& options, std::size_t step) {
  double rate = options.learning_rate * scale_of(options);
  if (step < options.rate_warmup_steps) {
    const double share = static_cast<double>(step) / static_cast<double>(options.rate_warmup_steps);
    rate = options.learning_rate + share * (rate - options.learning_rate);
  }
  for (const std::size_t epochs : options.rate_milestones) {
    rate *= step >= epochs * options.steps_per_epoch() ? kMilestoneFactor : 1.0;
  }
  return rate;
}

}  // namespace scalestudy::train
