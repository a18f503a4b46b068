// Studies of which some trials met other programs on the machine: is the warning right? One of step
// times alone counts as none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

// Cells of 1, 2, 4 ... devices over blocks; trials of `sd`, blocks of 2 % (sd of the logarithm).
struct LoadTruth {
  std::size_t cells = 2;
  std::size_t blocks = 20;
  double share = 0.1;     // of the trials that meet load
  double length = 1.0;    // mean number of trials in a row that do
  double slowdown = 1.0;  // of a loaded trial
  double at_base = 1.0;   // ... of the base, as a power of it: 0 where load does nothing to it
  double sd = 0.03;
};

struct LoadTally {
  Tally false_alarms;  // of studies whose answers the load left: warned
  Tally caught;        // of studies with a speedup that it moved too far: warned
};
// A speedup is moved too far by more than a quarter of its interval's half-width or half the margin
// of 2 %, from what the same trials would say without load.
LoadTally run_loads(const LoadTruth& truth, std::size_t replicates, std::uint64_t seed);

}  // namespace scalestudy::test
