// Synthetic cells whose true step time is known, with the noises that METHODS.md names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/support/random.h"

namespace scalestudy::test {

// Normal and uniform noise from one seed; Box-Muller with both of its values used.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}

  double uniform() { return random_.uniform(); }
  double normal();
  // exp of a normal with standard deviation `sd`: geometric mean and median are 1.
  double factor(double sd);

 private:
  test::Random random_;
  std::optional<double> spare_;
};

// Steps vary by 3 %, 100 of them a trial.
enum class Scenario {
  kNoTrialEffect,
  kTrial1,          // trials differ by 1 %
  kTrial3,          // ... by 3 %
  kAutocorrelated,  // ... by 3 %, steps AR(1) 0.7
  kLognormal15,     // ... by 15 %, lognormal with mean 1
  kSlowSteps,       // ... by 1 %, and 1 % of the steps take 2 to 5 times as long
  kSlowTrials,      // ... by 1 %, and 10 % of the trials are 8 % slower
  kWarmup,          // ... by 1 %, and +10 % decaying over 15 steps was left in
};
inline constexpr Scenario kOrdinary[] = {Scenario::kNoTrialEffect,
                                         Scenario::kTrial1,
                                         Scenario::kTrial3,
                                         Scenario::kAutocorrelated,
                                         Scenario::kLognormal15};

std::string_view name_of(Scenario scenario);

// Expected step time; in the steady state for kWarmup.
double true_mean(Scenario scenario);

// Median of the trial means; ordinary scenarios only (symmetric or lognormal).
double true_median(Scenario scenario);

inline constexpr std::size_t kSteps = 100;

// Step times of one trial, in steps of which the mean is true_mean().
std::vector<double> simulate_trial(Scenario scenario, Noise& noise, std::size_t count = kSteps);

struct Cell {
  std::vector<double> means;   // one per trial
  std::vector<double> pooled;  // every step of every trial
};
Cell simulate_cell(Scenario scenario, std::size_t trials, Noise& noise);

}  // namespace scalestudy::test
