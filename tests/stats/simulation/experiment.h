// Repeated studies of synthetic cells: how often is an interval or a word right?
//
// Each function is one seeded experiment of `replicates` studies; nothing is shared between calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stats/stopping.h"
#include "tests/stats/simulation/noise.h"

namespace scalestudy::test {

// How often something held, and how wide the intervals were.
struct Tally {
  std::size_t hits = 0;
  std::size_t total = 0;
  double width = 0.0;  // sum over `total`

  // An interval [lo, hi] and the truth; the width is relative to the truth.
  void add_interval(double lo, double hi, double truth);
  void add(bool hit);

  [[nodiscard]] double share() const;       // NaN when nothing was counted
  [[nodiscard]] double mean_width() const;  // NaN when nothing was counted
};

struct CellTally {
  Tally trial_t;          // mean_ci_t on trial means
  Tally order_median;     // median_ci_order, where it is attainable
  Tally pooled_t;         // mean_ci_t on pooled steps: the mistake
  Tally called;           // A/A: words faster or slower (delta method on trial means)
  Tally called_paired;    // A/A: the same, paired by block
  Tally equivalent;       // A/A: word equivalent within 2 %
  Tally pooled_rejected;  // A/A: Welch on pooled steps rejects at 5 %
};
// Cells of `trials` trials and, for the A/A columns, a second cell of the same kind. The pooled
// columns and the rest come from the same data.
CellTally run_cells(Scenario scenario,
                    std::size_t trials,
                    std::size_t replicates,
                    std::uint64_t seed);

struct BootstrapTally {
  Tally percentile;
  Tally bca;
  Tally studentised;  // where attainable
};
BootstrapTally run_bootstraps(Scenario scenario,
                              std::size_t trials,
                              std::size_t replicates,
                              std::uint64_t seed);

// tail_across_trials at p95 of kTrial1: the truth is the mean p95 of 100000 trials.
Tally run_tails(std::size_t trials, std::size_t replicates, std::uint64_t seed);

// log_ratio_delta around a true ratio of 3.4.
struct RatioDesign {
  std::size_t n_a = 5;
  std::size_t n_b = 5;
  double cv_a = 0.02;
  double cv_b = 0.02;
};
Tally run_ratios(const RatioDesign& design, std::size_t replicates, std::uint64_t seed);

// log_ratio_delta_paired; both arms get slower by `drift` in all over the session.
Tally run_paired_ratios(std::size_t blocks,
                        double drift,
                        std::size_t replicates,
                        std::uint64_t seed);

// Word "equivalent" within 2 % when the true ratio is `ratio`, trials of CV 1 %.
Tally run_equivalence(
    std::size_t trials, double ratio, bool paired, std::size_t replicates, std::uint64_t seed);

// Families of `comparisons` A/A cells against one shared base, Holm: at least one called different.
Tally run_families(std::size_t comparisons,
                   std::size_t trials,
                   std::size_t replicates,
                   std::uint64_t seed);

struct StoppingTally {
  Tally interval;            // of the trials at the stop
  double mean_trials = 0.0;  // used
};
StoppingTally run_stopping(const stats::StoppingPlan& plan,
                           std::size_t replicates,
                           std::uint64_t seed);

}  // namespace scalestudy::test
