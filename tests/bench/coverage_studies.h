// The parts of the coverage bench that simulate whole studies. Each prints tables and goals; true
// if all are met.
#pragma once

#include <cstdint>

namespace scalestudy::test {

// Goals G8 to G11 and G17, G18: trials of several sessions, lost trials, speedups as ratios of
// means, targets over several cells, sides that were not measured together, changes over sessions.
bool check_compared_studies(std::uint64_t first_seed);

// Goals G12 to G16, G19 and G21: interpolated break-evens, laws under block effects, flagging
// words, looks and trials in a row, tails, runs that end with their verdicts, searches.
bool check_claimed_studies(std::uint64_t first_seed);

// Goal G20: break-evens that a study searches for by adding tested values.
bool check_refined_studies(std::uint64_t first_seed);

}  // namespace scalestudy::test
