// Repeated studies whose truth is known, taken through analysis: how often are its intervals and
// words right? One seeded experiment of `replicates` studies a call, as in tests/stats/simulation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/stats/simulation/curves.h"
#include "tests/stats/simulation/experiment.h"

namespace scalestudy::simulation {

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

}  // namespace scalestudy::simulation
