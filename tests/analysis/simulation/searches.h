// Repeated searches of a product of settings whose truth is known: what is claimed, kept, covered?
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

// A cube of settings, `side` values of each of three axes; the first of all is the default.
struct SearchTruth {
  std::int64_t side = 4;
  std::map<std::int64_t, double> speedups = {};  // over the default, by place from 0; the others: 1
  double trial_sd = 0.03;                        // of the logarithm
  double block_sd = 0.05;
  std::optional<std::int64_t> max_trials = {};
};

struct SearchTally {
  Tally claimed;             // of studies: a setting other than the default is recommended
  Tally kept;                // of studies with a best setting: the race's winner is as fast
  Tally used;                // of the same: what is recommended is as fast within the margin
  Tally covered;             // of gains over the default: their interval holds the truth
  Tally covered_all;         // the mistake: with the race's trials in them, of the winners
  double gain = 0.0;         // mean over studies of the winner's gain over its true one
  double gain_all = 0.0;     // the mistake: that gain with the race's trials in it
  double race_trials = 0.0;  // mean over studies
  double trials = 0.0;       // race and fresh trials, mean over studies
  double fresh_blocks = 0.0;
};
SearchTally run_searches(const SearchTruth& truth, std::size_t replicates, std::uint64_t seed);

}  // namespace scalestudy::test
