// The part of the coverage bench that goes through analysis: what its sentences claim.
#pragma once

#include <cstdint>

namespace scalestudy::bench {

// Goals G12 to G16: interpolated break-evens, laws under block effects, flagging words, looks and
// trials in a row, tails. Prints tables and goals; true if all are met.
bool check_claimed_studies(std::uint64_t first_seed);

}  // namespace scalestudy::bench
