// Known values to send, so that every received element can be checked exactly.
#pragma once

#include <cstddef>
#include <span>

#include "workloads/comm/collective.h"

namespace scalestudy::collective {

// Fills `send` with integers below 127: their sum over up to 65536 ranks is exact in float32 in any
// order. Their period is a prime, so that a part in the wrong place is noticed.
void fill_send(std::span<float> send, int rank);

// Counts the elements of `receive` that differ from what the operation owes this rank (NaN does). 0
// on rank 0 of a broadcast, which receives nothing, and on a rank without a peer in a ping-pong.
//
//   send_count  elements that every rank sent.
//   peer        of this rank in a ping-pong.
std::size_t count_wrong(comm::Operation operation,
                        std::span<const float> receive,
                        std::size_t send_count,
                        int rank,
                        int ranks,
                        int peer = comm::kNoPeer);

}  // namespace scalestudy::collective
