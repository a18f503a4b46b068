// Repeated studies whose truth is known, taken through analysis: how often are its intervals and
// words right? One seeded experiment of `replicates` studies a call, as in tests/stats/simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/stats/simulation/curves.h"
#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

// Tested batches of one and two devices, each `factor` times the one before, from 8 on; trials of
// 2 % (sd of the logarithm) in blocks. The break-even is drawn anew in every study, uniform in the
// logarithm over the whole range tested.
struct Ladder {
  Curve curve = Curve::kLinear;
  int values = 5;
  double factor = 2.0;
  std::size_t trials = 5;
};

struct LadderTally {
  Tally interval;  // of the studies that print one: it holds the break-even
  Tally bracket;   // of all: an absent end is open
  Tally printed;   // of all: an interpolated interval
};
LadderTally run_ladders(const Ladder& ladder, std::size_t replicates, std::uint64_t seed);

// Amdahl's law over 1, 2, 4 and 8 devices in ten blocks that differ by `block_sd`, trials by 1 %;
// the serial fraction is 5 %. A wrong law: eight devices take 3 % longer than that.
struct BlockedLawTally {
  Tally kept;    // called "not rejected"
  Tally serial;  // of those: the interval holds 5 %
};
BlockedLawTally run_blocked_laws(bool is_wrong,
                                 double block_sd,
                                 std::size_t replicates,
                                 std::uint64_t seed);

// The same law, right, with a serial fraction of 10 %, where the times of the most devices spread
// by 30 % and those of the others by 3 %; means as the law has them.
struct UnequalLaw {
  std::vector<std::int64_t> devices;
  std::size_t trials = 10;
  bool in_blocks = true;  // that differ by 5 %; false: order batch
};
BlockedLawTally run_unequal_laws(const UnequalLaw& law, std::size_t replicates, std::uint64_t seed);

// Clean studies: three batches on one and two devices that scale linearly, one A/A control, steady
// steps, no drift. How often each flagging word is said all the same.
struct CleanStudy {
  std::size_t trials = 10;
  double trial_sd = 0.01;  // of the logarithm
  double block_sd = 0.0;
  bool in_blocks = true;  // false: order batch
};
struct WordTally {
  Tally rare_slow_trials;
  Tally drift;
  Tally warm_up;
  Tally superlinear;
  Tally control_failed;
  Tally marked;  // some trial is marked by the outlier rule: no alarm
  Tally
      unflagged_interval;  // t interval of the rest of a cell with a marked trial: it is not shown
};
WordTally run_words(const CleanStudy& clean, std::size_t replicates, std::uint64_t seed);

// Two equal cells of ten trials each in a row (order: batch), trials of 1 %, on a machine that gets
// slower by `drift` in all.
struct BatchOrderTally {
  Tally covered;  // the speedup's interval holds 1
  Tally warned;   // the report warns of the order
  Tally drifted;  // called drifting
};
BatchOrderTally run_batch_order(double drift, std::size_t replicates, std::uint64_t seed);

// Two equal cells in 20 blocks, looked at after equal parts of them.
struct LookTally {
  Tally first;   // the first look calls them faster or slower
  Tally any;     // some look calls them faster or slower
  Tally warned;  // every look before the end says what p values do not promise
};
LookTally run_looks(std::size_t looks, std::size_t replicates, std::uint64_t seed);

// One cell a speedup against a shared base, of trials: {min, max, for: verdicts}.
struct VerdictRun {
  std::vector<double> speedups;  // the truth; 1: equal
  double drawn_sd = 0.0;         // above 0: drawn anew in every study, sd of the logarithm
  int min = 8;
  int max = 40;
  double trial_sd = 0.03;  // of the logarithm
};
struct VerdictRunTally {
  Tally any_false;  // of studies: an equal cell is called faster or slower, or one of those equal
  Tally covered;    // of cells: the interval printed at the end holds the speedup
  Tally decided;    // of cells that are not equal: called faster or slower
  std::vector<double> trials;  // of each study, all cells
};
VerdictRunTally run_for_verdicts(VerdictRun run, std::size_t replicates, std::uint64_t seed);

// Intervals of p95 and p99 where analysis shows one, with the fewest steps that it wants.
Tally run_shown_tails(Scenario scenario,
                      double quantile,
                      std::size_t trials,
                      std::size_t replicates,
                      std::uint64_t seed);

}  // namespace scalestudy::test
