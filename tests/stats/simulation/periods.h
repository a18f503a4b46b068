// Simulated step times of cells with a period in them, and without one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

// What steps vary by; lognormal with a standard deviation of 3 % where nothing else is said.
enum class StepNoise {
  kWhite,
  kAr05,     // AR(1) with coefficient 0.5
  kAr09,     // AR(1) with coefficient 0.9
  kArMinus,  // AR(1) with coefficient -0.3: a long step is followed by a short one
  kRise,     // white, and the last step takes twice as long as the first
  kWave,     // white, and half of the steps are slower by up to 10 %, in one wave
  kHeavy,    // Pareto with exponent 1.5: no variance
  kSlow,     // white, and 5 % of the steps take three times as long
  kRounded,  // white, printed to 1 %
};
inline constexpr std::array kStepNoises{StepNoise::kWhite,
                                        StepNoise::kAr05,
                                        StepNoise::kAr09,
                                        StepNoise::kArMinus,
                                        StepNoise::kRise,
                                        StepNoise::kWave,
                                        StepNoise::kHeavy,
                                        StepNoise::kSlow,
                                        StepNoise::kRounded};
std::string name_of(StepNoise noise);

struct PeriodSetting {
  StepNoise noise = StepNoise::kWhite;
  std::size_t steps = 100;
  std::size_t trials = 5;
  std::size_t period = 0;  // 0: none
  double factor = 1.0;     // times as long the step of the period takes
};

struct PeriodTally {
  Tally found;  // some period
  Tally right;  // that one
};

// Cells with p < 0.05. Each trial has its period at a phase of its own.
PeriodTally run_periods(const PeriodSetting& setting, std::size_t replicates, std::uint64_t seed);

}  // namespace scalestudy::test
