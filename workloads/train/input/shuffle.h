// The order in which samples of a file are read: another one in every epoch.
#pragma once

#include <cstdint>

namespace scalestudy::train {

// The sample that comes at `position` of an epoch: a permutation of [0, count), picked by seed and
// epoch. Keeps no state, so that each rank asks for its own positions only. A Feistel network of
// four rounds over an even number of bits, run again while the result is not below `count`.
// source: Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002 (cycle walking).
//   position  below count, which is at most 2^62
std::uint64_t shuffled(std::uint64_t position,
                       std::uint64_t count,
                       std::uint64_t seed,
                       std::uint64_t epoch);

}  // namespace scalestudy::train
