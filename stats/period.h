// A period in step times: every k-th step of a trial is slower than the steps beside it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace scalestudy::stats {

// What the trials of a cell say about one period, each trial at the phase that suits it best.
struct PeriodSums {
  std::size_t trials = 0;    // those long enough for two steps of the period
  std::size_t peaks = 0;     // steps of that phase that are slower than all steps beside them
  std::size_t steps = 0;     // steps of that phase that have all their neighbours
  double chi_squared = 0.0;  // Fisher's: the sum of -2 ln p over the trials
};

// Sums by period: the first is of period 2.
using PeriodEvidence = std::vector<PeriodSums>;

struct Period {
  std::size_t steps = 0;  // every so many steps, at least 2
  double p = 1.0;         // Bonferroni over the periods that were looked at
};

// The longest period that is looked for.
inline constexpr std::size_t kLongestPeriod = 1000;

// Adds the step times of a trial to the evidence.
//
//   steps    in order of time, any unit. Nothing is added if they are fewer than four, or one is
//            not finite.
//   formula  A step is a peak of period k if it is longer than each of the h = max(1, (k - 1)/2)
//            steps before it and after it. Windows of 2h + 1 steps do not overlap (k = 2: every
//            second of them is taken), so that of w windows Binomial(w, 1/(2h + 1)) have their peak
//            in the middle if steps are exchangeable; times the number of phases.
//   source   ours. A window that lies around its step lets no trend pass for a period.
void add_steps(PeriodEvidence& evidence, std::span<const double> steps);

// The shortest period with p < alpha that is as clear as any: most of its steps are peaks, at least
// three a trial, and at least 0.9 times as many as those of the clearest period. (Multiples of a
// period are as clear, divisors are not.) Absent if there is none.
std::optional<Period> find_period(const PeriodEvidence& evidence, double alpha);

// The first step, from 0, of those `period` apart that hold the most peaks; absent for fewer steps
// than two periods. Steps are finite.
std::optional<std::size_t> phase_of(std::span<const double> steps, std::size_t period);

}  // namespace scalestudy::stats
