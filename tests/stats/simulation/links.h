// Simulated machines with slow links, searched by bisection.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

struct LinkSetting {
  std::size_t devices = 8;     // a power of two
  std::size_t slow_links = 1;  // chosen by chance
  double factor = 1.2;         // times as long a slow link takes
  double trial_sd = 0.03;      // of the logarithm, of each group in each block
  double block_sd = 0.03;      // what all groups of a block share
  std::size_t blocks = 8;
  double margin = 0.02;       // what does not matter
  bool is_each_pair = false;  // every pair by itself, instead of rounds and their halves
};

struct LinkTally {
  Tally named_wrongly;       // some link that is not slow is named
  Tally found;               // all slow links are named
  std::size_t measured = 0;  // groups, over all machines
};

// Rounds in which every device has a partner, all pairs of devices once; then what next_groups()
// says, until it says nothing. Slow: p adjusted < 0.05 against the margin.
LinkTally run_links(const LinkSetting& setting, std::size_t replicates, std::uint64_t seed);

}  // namespace scalestudy::test
