// Studies of two cells whose truth is known, through the analysis of their trials: what sessions,
// lost trials and slow launches do to verdicts, intervals and sentences.
//
// Each function is one seeded experiment of `replicates` studies; nothing is shared between calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

struct VerdictTally {
  Tally called;  // two equal cells: faster or slower
  Tally told;    // the sentence beside the verdict says what is the matter
};

// Two equal cells of ten blocks, trials of CV 1 %, in two sessions of which the second is 5 %
// slower. The first `early` blocks of the base and `early_cell` of the cell ran in the first one.
// Told: that shares differ, and that the verdict holds within these sessions.
VerdictTally run_shared_sessions(std::size_t early,
                                 std::size_t early_cell,
                                 std::size_t replicates,
                                 std::uint64_t seed);

// Two equal cells of one session that gets 10 % slower over ten blocks, trials of CV 1 %. The base
// lost its late trials and the cell its early ones, so that `common` blocks hold both.
// Told: how many trials are left out.
VerdictTally run_lost_trials(std::size_t common, std::size_t replicates, std::uint64_t seed);

// The step time of one cell of `sessions` sessions with `blocks` trials each; trials of CV 1 %,
// sessions of CV 3.5 % (two of them are 5 % apart on average).
struct SessionTally {
  Tally within;  // covers the mean of these sessions
  Tally beyond;  // covers the mean of all sessions there could be
  Tally told;    // a note says that intervals hold within these sessions
};
SessionTally run_sessions(std::size_t sessions,
                          std::size_t blocks,
                          std::size_t replicates,
                          std::uint64_t seed);

// Two equal cells of `sessions` sessions with three blocks each; what a session does to one of them
// has a CV of 1 %.
Tally run_session_verdicts(std::size_t sessions, std::size_t replicates, std::uint64_t seed);

// How one trial of a cell varies: step times of mean 1 over which launches are spread.
enum class Launches {
  kNoTrialEffect,  // ordinary noise, as the scenarios of the same name
  kTrial1,
  kTrial3,
  kAutocorrelated,
  kLognormal15,
  kNormal30,  // normal, 30 %
  kSlow,      // 1 %, and one in ten takes three times as long
};
std::string_view name_of(Launches launches);

struct MeansTally {
  Tally covered;  // the speedup's interval holds the ratio of mean step times, 1.25
  Tally told;     // of studies with a slow launch: no method covers that
};
// A base and a cell over `blocks` blocks, both slower by `drift` in all over the session.
MeansTally run_speedups(Launches base,
                        Launches cell,
                        std::size_t blocks,
                        double drift,
                        std::size_t replicates,
                        std::uint64_t seed);

// One target, a speedup of at least 1, over seven cells that are all as fast as their shared base:
// ten blocks, trials of CV 1 %.
struct TargetTally {
  Tally cell_met;   // some cell is said to meet it
  Tally missed;     // the target is said to be missed
  Tally disagrees;  // of cells said to meet or miss it: their comparison detects no difference
};
TargetTally run_targets(std::size_t replicates, std::uint64_t seed);

}  // namespace scalestudy::test
