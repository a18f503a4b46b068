#include "tests/stats/simulation/noise.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace scalestudy::test {
namespace {

constexpr double kStepSd = 0.03;
constexpr double kSlowStepShare = 0.01;  // factors uniform in [2, 5]: 3.5 on average
constexpr double kSlowTrialShare = 0.10;
constexpr double kSlowTrialExcess = 0.08;

// Level of one launch.
double simulate_launch(Scenario scenario, Noise& noise) {
  switch (scenario) {
    case Scenario::kNoTrialEffect:
      return 1.0;
    case Scenario::kTrial3:
    case Scenario::kAutocorrelated:
      return 1.0 + 0.03 * noise.normal();
    case Scenario::kLognormal15:
      return noise.factor(0.15) * std::exp(-0.15 * 0.15 / 2.0);
    case Scenario::kSlowTrials:
      return 1.0 + 0.01 * noise.normal() +
             (noise.uniform() < kSlowTrialShare ? kSlowTrialExcess : 0.0);
    case Scenario::kTrial1:
    case Scenario::kSlowSteps:
    case Scenario::kWarmup:
      return 1.0 + 0.01 * noise.normal();
  }
  throw std::logic_error("simulate_launch: not a Scenario");
}

}  // namespace

double Noise::normal() {
  if (spare_) {
    const double value = *spare_;
    spare_.reset();
    return value;
  }
  constexpr double two_pi = 6.283185307179586;
  const double radius = std::sqrt(-2.0 * std::log(random_.uniform()));
  const double angle = two_pi * random_.uniform();
  spare_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

double Noise::factor(double sd) {
  return std::exp(sd * normal());
}

std::string_view name_of(Scenario scenario) {
  switch (scenario) {
    case Scenario::kNoTrialEffect:
      return "no trial effect, 3 % steps";
    case Scenario::kTrial1:
      return "trial 1 %, step 3 %";
    case Scenario::kTrial3:
      return "trial 3 %, step 3 %";
    case Scenario::kAutocorrelated:
      return "trial 3 %, AR(1) 0.7 steps";
    case Scenario::kLognormal15:
      return "trial 15 % lognormal";
    case Scenario::kSlowSteps:
      return "1 % of steps x2..5";
    case Scenario::kSlowTrials:
      return "10 % of trials +8 %";
    case Scenario::kWarmup:
      return "left-over warm-up +10 %, tau 15";
  }
  throw std::logic_error("name_of: not a Scenario");
}

double true_mean(Scenario scenario) {
  if (scenario == Scenario::kSlowSteps) {
    return 1.0 + kSlowStepShare * 2.5;
  }
  return scenario == Scenario::kSlowTrials ? 1.0 + kSlowTrialShare * kSlowTrialExcess : 1.0;
}

double true_median(Scenario scenario) {
  return scenario == Scenario::kLognormal15 ? std::exp(-0.15 * 0.15 / 2.0) : 1.0;
}

std::vector<double> simulate_trial(Scenario scenario, Noise& noise, std::size_t count) {
  constexpr double persistence = 0.7;
  const double launch = simulate_launch(scenario, noise);
  std::vector<double> steps(count);
  double deviation = noise.normal();
  for (std::size_t j = 0; j < count; ++j) {
    deviation =
        scenario == Scenario::kAutocorrelated
            ? persistence * deviation + std::sqrt(1.0 - persistence * persistence) * noise.normal()
            : noise.normal();
    double step = launch * (1.0 + kStepSd * deviation);
    if (scenario == Scenario::kSlowSteps && noise.uniform() < kSlowStepShare) {
      step *= 2.0 + 3.0 * noise.uniform();
    }
    if (scenario == Scenario::kWarmup) {
      step *= 1.0 + 0.1 * std::exp(-static_cast<double>(j) / 15.0);
    }
    steps[j] = step;
  }
  return steps;
}

Cell simulate_cell(Scenario scenario, std::size_t trials, Noise& noise) {
  Cell cell;
  cell.pooled.reserve(trials * kSteps);
  for (std::size_t t = 0; t < trials; ++t) {
    const std::vector<double> steps = simulate_trial(scenario, noise);
    cell.means.push_back(std::accumulate(steps.begin(), steps.end(), 0.0) /
                         static_cast<double>(kSteps));
    cell.pooled.insert(cell.pooled.end(), steps.begin(), steps.end());
  }
  return cell;
}

}  // namespace scalestudy::test
