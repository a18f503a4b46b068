// What load by others during some trials did to a study's results.
#pragma once

#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/analysis/threats/load_crowding.h"

namespace scalestudy {

struct LoadEffect {
  bool is_warning = false;
  bool is_limited = false;   // some results are in doubt, or times alone; the others hold
  bool is_of_times = false;  // the warning is of step times alone: no speedup is in doubt
  std::string words;         // what the load did, in sentences that name the worst cell
};

// Judges all speedups, and the step times of cells without one. A result is in doubt if load met
// all trials of a side, if it met a side more often than chance explains, if too few trials are
// left to estimate its effect, or if it may have shifted the result by more than a quarter of the
// interval's half-width or half the margin. The warning is limited if less than half of the
// headline results are in doubt: those of cells that may be the best, or all if only the base may
// be. It is also limited if load lengthened step times that much, and no speedup.
//
// - results: with estimates and comparisons of the observation.
// - choices: compare_with_best() of the same.
LoadEffect load_effect(const StudyObservation& observation,
                       const Study& study,
                       const Results& results,
                       const std::vector<ComparisonRow>& choices,
                       const ReadLoad& read);

}  // namespace scalestudy
