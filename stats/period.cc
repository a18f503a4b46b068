#include "stats/period.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/check.h"
#include "stats/distributions.h"

namespace scalestudy::stats {
namespace {

// Steps on each side of a step that it has to be longer than.
std::size_t reach_of(std::size_t period) {
  return std::max<std::size_t>(1, (period - 1) / 2);
}

// Distance of the windows that are counted: they may not overlap.
std::size_t stride_of(std::size_t period) {
  return period == 2 ? 4 : period;
}

// By step how many steps on each side it is longer than, the ends of the series not counted.
std::vector<std::size_t> reaches(std::span<const double> steps) {
  const std::size_t n = steps.size();
  std::vector<std::size_t> reach(n);
  std::vector<std::size_t> longer;  // earlier steps, each longer than those after it
  for (std::size_t i = 0; i < n; ++i) {
    while (!longer.empty() && steps[longer.back()] < steps[i]) {
      longer.pop_back();
    }
    reach[i] = longer.empty() ? n : i - longer.back() - 1;
    longer.push_back(i);
  }
  longer.clear();
  for (std::size_t i = n; i-- > 0;) {
    while (!longer.empty() && steps[longer.back()] < steps[i]) {
      longer.pop_back();
    }
    reach[i] = std::min({reach[i], longer.empty() ? n : longer.back() - i - 1, i, n - 1 - i});
    longer.push_back(i);
  }
  return reach;
}

struct Phase {
  std::size_t first = 0;
  std::size_t peaks = 0;
  std::size_t steps = 0;
};

// Steps from `first` on, `stride` apart, that have `reach` neighbours on each side.
std::size_t count_inner(std::size_t n, std::size_t first, std::size_t stride, std::size_t reach) {
  const std::size_t begin =
      first >= reach ? first : first + (reach - first + stride - 1) / stride * stride;
  return begin + reach >= n ? 0 : (n - 1 - reach - begin) / stride + 1;
}

// The phase with the most peaks, of several the one with the fewest steps.
// - peaks: the steps whose reach is that of the period or more.
Phase best_phase(const std::vector<std::size_t>& peaks,
                 std::size_t n,
                 std::size_t period,
                 std::vector<std::size_t>& counts) {
  const std::size_t stride = stride_of(period);
  Phase best;
  for (const std::size_t peak : peaks) {
    ++counts[peak % stride];
  }
  for (const std::size_t peak : peaks) {
    const std::size_t first = peak % stride;
    const std::size_t count = std::exchange(counts[first], 0);
    if (count < best.peaks || count == 0) {
      continue;
    }
    const std::size_t steps = count_inner(n, first, stride, reach_of(period));
    if (count > best.peaks || steps < best.steps) {
      best = {.first = first, .peaks = count, .steps = steps};
    }
  }
  return best;
}

}  // namespace

void add_steps(PeriodEvidence& evidence, std::span<const double> steps) {
  const std::size_t n = steps.size();
  if (!all_finite(steps) || n < 4) {
    return;
  }
  const std::size_t longest = std::min(n / 2, kLongestPeriod);
  evidence.resize(std::max(evidence.size(), longest - 1));
  const std::vector<std::size_t> reach = reaches(steps);
  std::vector<std::size_t> peaks;
  for (std::size_t i = 0; i < n; ++i) {
    peaks.push_back(i);
  }
  std::vector<std::size_t> counts(std::max<std::size_t>(longest + 1, 4));
  for (std::size_t period = 2; period <= longest; ++period) {
    const std::size_t least = reach_of(period);
    std::erase_if(peaks, [&](std::size_t i) { return reach[i] < least; });
    const Phase phase = best_phase(peaks, n, period, counts);
    PeriodSums& sums = evidence[period - 2];
    ++sums.trials;
    sums.peaks += phase.peaks;
    sums.steps += phase.steps;
    const double chance = 1.0 / static_cast<double>(2 * least + 1);
    if (static_cast<double>(phase.peaks) > chance * static_cast<double>(phase.steps)) {
      // In long trials the tail is 0 to the digits of a double; its logarithm must stay finite.
      const double tail = std::max(binomial_upper_tail(phase.steps, chance, phase.peaks),
                                   std::numeric_limits<double>::min());
      const double p = static_cast<double>(stride_of(period)) * tail;
      sums.chi_squared -= 2.0 * std::log(std::min(p, 1.0));
    }
  }
}

std::optional<Period> find_period(const PeriodEvidence& evidence, double alpha) {
  constexpr double least_peaks = 0.5;
  // Peaks of a trial: two slow steps at the same place in all trials are a distance, no period.
  constexpr double least_in_trial = 3.0;
  constexpr double as_clear = 0.9;
  struct Found {
    Period period;
    double peaks = 0.0;  // share of its steps
  };
  std::vector<Found> found;
  double clearest = 0.0;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    const PeriodSums& sums = evidence[i];
    if (sums.steps == 0) {
      continue;
    }
    const double p =
        static_cast<double>(evidence.size()) *
        chi_squared_upper_tail(sums.chi_squared, 2.0 * static_cast<double>(sums.trials));
    const double peaks = static_cast<double>(sums.peaks) / static_cast<double>(sums.steps);
    const bool recurs =
        static_cast<double>(sums.peaks) >= least_in_trial * static_cast<double>(sums.trials);
    if (p < alpha && peaks > least_peaks && recurs) {
      found.push_back({.period = {.steps = i + 2, .p = p}, .peaks = peaks});
      clearest = std::max(clearest, peaks);
    }
  }
  const auto first = std::ranges::find_if(
      found, [&](const Found& one) { return one.peaks >= as_clear * clearest; });
  return first == found.end() ? std::nullopt : std::optional(first->period);
}

std::optional<std::size_t> phase_of(std::span<const double> steps, std::size_t period) {
  if (period < 2 || steps.size() < 2 * period) {
    return std::nullopt;
  }
  const std::vector<std::size_t> reach = reaches(steps);
  std::vector<std::size_t> counts(period);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    counts[i % period] += reach[i] >= reach_of(period) ? 1 : 0;
  }
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

}  // namespace scalestudy::stats
