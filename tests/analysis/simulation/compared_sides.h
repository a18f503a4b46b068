// Two sides of sessions whose truth is known, compared after the fact and side by side.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

// One cell on two sides of `sessions` sessions each, ten trials of CV 1 % a session. Sessions
// differ by `session_sd`; side b is faster by `effect`.
struct SidesTally {
  Tally called;         // faster or slower
  Tally called_trials;  // Welch's t over all trials, as if no session differed: the mistake
};
SidesTally run_sides(std::size_t sessions,
                     double session_sd,
                     double effect,
                     std::size_t replicates,
                     std::uint64_t seed);

// The same two cells in the ten blocks of one session, trials of CV 3 %: faster or slower.
Tally run_interleaved(double session_sd, double effect, std::size_t replicates, std::uint64_t seed);

// Histories of `cells` cells over `sessions` sessions of CV 2 %. From a third of them on, all of
// the first cell's are slower by `shift`.
struct HistoryTally {
  Tally called;  // some change of some cell
  Tally found;   // one of the first cell, and of no other
  Tally placed;  // of those found: the change is among the places named
};
HistoryTally run_histories(std::size_t cells,
                           std::size_t sessions,
                           double shift,
                           std::size_t replicates,
                           std::uint64_t seed);

}  // namespace scalestudy::test
