// Counter-based random numbers: the same counter and key give the same words on every rank and
// device.
#pragma once

#include <cstdint>

#include "workloads/device/host_device.h"

namespace scalestudy::ops {

struct PhiloxBlock {
  std::uint32_t word[4];
};

struct PhiloxKey {
  std::uint32_t word[2];
};

// The purpose of a stream of numbers, part of the counter: no two purposes share numbers.
enum class Purpose : std::uint32_t {
  kStudent = 1,  // initial parameters
  kTeacher = 2,  // parameters of the network that makes regression targets
  kDropout = 3,
  kInput = 4,
  kPrototype = 5,  // class centres
  kLabel = 6,
};

SCALESTUDY_HOST_DEVICE inline void philox_round(PhiloxBlock& c, PhiloxKey& k) {
  const std::uint64_t product0 = std::uint64_t{0xD2511F53U} * c.word[0];
  const std::uint64_t product1 = std::uint64_t{0xCD9E8D57U} * c.word[2];
  c = {{static_cast<std::uint32_t>(product1 >> 32U) ^ c.word[1] ^ k.word[0],
        static_cast<std::uint32_t>(product1),
        static_cast<std::uint32_t>(product0 >> 32U) ^ c.word[3] ^ k.word[1],
        static_cast<std::uint32_t>(product0)}};
  k.word[0] += 0x9E3779B9U;
  k.word[1] += 0xBB67AE85U;
}

// Philox4x32-10. Ten rounds written out: gcc 12 at -O2 vectorises a caller's loop only without an
// inner one.
// source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC11;
// constants and round function as in Random123 1.14 philox.h.
SCALESTUDY_HOST_DEVICE inline PhiloxBlock philox4x32_10(PhiloxBlock counter, PhiloxKey key) {
  philox_round(counter, key);
  philox_round(counter, key);
  philox_round(counter, key);
  philox_round(counter, key);
  philox_round(counter, key);
  philox_round(counter, key);
  philox_round(counter, key);
  philox_round(counter, key);
  philox_round(counter, key);
  philox_round(counter, key);
  return counter;
}

SCALESTUDY_HOST_DEVICE inline PhiloxKey philox_key(std::uint64_t seed) {
  return {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}};
}

// The block that holds elements 4*quad .. 4*quad+3 of one row (a sample, a class) of one layer.
SCALESTUDY_HOST_DEVICE inline PhiloxBlock philox_counter(std::uint32_t quad,
                                                         std::uint32_t row,
                                                         std::uint32_t step,
                                                         Purpose purpose,
                                                         std::uint32_t layer) {
  return {{quad, row, step, (static_cast<std::uint32_t>(purpose) << 16U) | layer}};
}

// Uniform on (-1, 1), symmetric, exact in double.
SCALESTUDY_HOST_DEVICE inline double symmetric_uniform(std::uint32_t word) {
  return (static_cast<double>(word) + 0.5) * 0x1p-31 - 1.0;
}

}  // namespace scalestudy::ops
