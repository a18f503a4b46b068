#include "tests/stats/simulation/periods.h"

#include <cmath>
#include <vector>

#include "stats/period.h"
#include "tests/stats/simulation/noise.h"

namespace scalestudy::test {
namespace {

constexpr double kSd = 0.03;

double ar_coefficient(StepNoise noise) {
  return noise == StepNoise::kAr05      ? 0.5
         : noise == StepNoise::kAr09    ? 0.9
         : noise == StepNoise::kArMinus ? -0.3
                                        : 0.0;
}

std::vector<double> simulate_steps(const PeriodSetting& setting, Noise& noise) {
  const double coefficient = ar_coefficient(setting.noise);
  double deviation = noise.normal();
  const auto phase = static_cast<std::size_t>(noise.uniform() * 1e6);
  std::vector<double> steps;
  for (std::size_t i = 0; i < setting.steps; ++i) {
    deviation =
        coefficient * deviation + std::sqrt(1.0 - coefficient * coefficient) * noise.normal();
    double step = std::exp(kSd * deviation);
    const double at = static_cast<double>(i) / static_cast<double>(setting.steps);
    switch (setting.noise) {
      case StepNoise::kRise:
        step *= 1.0 + at;
        break;
      case StepNoise::kWave:
        step *= 1.0 + 0.1 * std::max(0.0, std::sin(2.0 * M_PI * at));
        break;
      case StepNoise::kHeavy:
        step = std::pow(noise.uniform(), -1.0 / 1.5);
        break;
      case StepNoise::kSlow:
        step *= noise.uniform() < 0.05 ? 3.0 : 1.0;
        break;
      case StepNoise::kRounded:
        step = std::round(100.0 * step) / 100.0;
        break;
      default:
        break;
    }
    const bool is_of_period = setting.period > 0 && (i + phase) % setting.period == 0;
    steps.push_back(is_of_period ? setting.factor * step : step);
  }
  return steps;
}

}  // namespace

std::string name_of(StepNoise noise) {
  switch (noise) {
    case StepNoise::kWhite:
      return "white";
    case StepNoise::kAr05:
      return "AR(1) 0.5";
    case StepNoise::kAr09:
      return "AR(1) 0.9";
    case StepNoise::kArMinus:
      return "AR(1) -0.3";
    case StepNoise::kRise:
      return "rising";
    case StepNoise::kWave:
      return "wave";
    case StepNoise::kHeavy:
      return "heavy tail";
    case StepNoise::kSlow:
      return "slow steps";
    case StepNoise::kRounded:
      return "rounded";
  }
  return "";
}

PeriodTally run_periods(const PeriodSetting& setting, std::size_t replicates, std::uint64_t seed) {
  constexpr double alpha = 0.05;
  Noise noise(seed);
  PeriodTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    stats::PeriodEvidence evidence;
    for (std::size_t trial = 0; trial < setting.trials; ++trial) {
      stats::add_steps(evidence, simulate_steps(setting, noise));
    }
    const auto found = stats::find_period(evidence, alpha);
    tally.found.add(found.has_value());
    tally.right.add(found && found->steps == setting.period);
  }
  return tally;
}

}  // namespace scalestudy::test
