// Repeated studies that add tested values until their break-even is known: the whole search.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/stats/simulation/curves.h"

namespace scalestudy::test {

// When a tested value has trials enough.
enum class TrialsRule {
  kFixed,        // `trials` of each
  kPrecision,    // stopping_rule on the base and the cell, from `trials` on and 2 more
  kUntilSigned,  // from `trials` on until its sign is resolved: the mistake
};

struct RefinedStudy {
  Curve curve = Curve::kRealistic;
  int values = 5;  // at the start, each at twice the x of the one before, from kLadderLow on
  double trial_sd = 0.02;  // of the logarithm, an arm; blocks add 2 % to both
  TrialsRule rule = TrialsRule::kFixed;
  std::size_t trials = 8;
  double width = 0.05;   // asked for
  std::size_t most = 4;  // values added
  double grid = 1.0;
};

struct RefinedTally {
  Tally interval;          // set_curvature of the last look holds the crossing, where it is printed
  Tally bracket;           // so does the bracket; an absent end is open
  Tally reached;           // the width asked for was
  double added = 0.0;      // values, mean over the studies
  double log_width = 0.0;  // mean ln(hi/lo) of the intervals printed
};

// The crossing is drawn anew in every study, uniform in ln x over the values at the start.
RefinedTally run_refined(const RefinedStudy& study, std::size_t replicates, std::uint64_t seed);

}  // namespace scalestudy::test
