// The part of the coverage bench that goes through analysis.
#pragma once

#include <cstdint>

namespace scalestudy::bench {

// Goals G8 to G11: trials of several sessions, lost trials, speedups as ratios of means, targets
// over several cells. Prints tables and goals; true if all are met.
bool check_compared_studies(std::uint64_t first_seed);

}  // namespace scalestudy::bench
