// Known values to send, so that every received element can be checked exactly.
#pragma once

#include <cstddef>
#include <span>

#include "workloads/comm/collective.h"

namespace scalestudy::collective {

// Values are integers below 127, so that the sum over up to 65536 ranks is exact in float32 in any
// order. Their period is a prime: a part that landed elsewhere is seen.
void fill_send(std::span<float> send, int rank);

// Elements of `receive` that are not what the operation owes this rank (NaN is not). 0 for what
// rank 0 receives of a broadcast, which it sends, and for a rank without a peer in a ping-pong.
//
//   send_count  elements that every rank sent.
//   peer        in a ping-pong.
std::size_t count_wrong(comm::Operation operation,
                        std::span<const float> receive,
                        std::size_t send_count,
                        int rank,
                        int ranks,
                        int peer = comm::kNoPeer);

}  // namespace scalestudy::collective
