// How large the buffers of an operation are, and what bandwidth a time of it means.
#pragma once

#include <cstddef>

#include "workloads/comm/collective.h"

namespace scalestudy::collective {

// Counts are elements (float32).
struct Layout {
  std::size_t send_count = 0;
  std::size_t receive_count = 0;
  std::size_t total_bytes = 0;  // S of the bandwidths: the larger of the two buffers
  // algbw = S / t; busbw = busbw_factor * algbw, the wire traffic that a ring of the ranks needs:
  // 2 (n - 1)/n for all-reduce, (n - 1)/n for all-gather, reduce-scatter and all-to-all, the pairs
  // at once for ping-pong (of halves: what crosses between them one way), else 1.
  double busbw_factor = 1.0;
  // Messages of an operation one after another; its time t is that of one: 2 for ping-pong.
  double trips = 1.0;
};

// Buffers of one rank.
//
//   message_bytes  S, rounded down to whole elements, and to equal parts for the ranks where the
//                  operation splits the buffer.
//   ranks          n >= 1; among one, only broadcast and send_recv have a bus bandwidth.
//   pairs          that a ping-pong has at once.
//   throws         WorkloadError (usage) when nothing is left of it.
//   source         github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md, and getCollByteCount of each.
Layout layout_of(comm::Operation operation,
                 std::size_t message_bytes,
                 std::size_t ranks,
                 std::size_t pairs = 1);

}  // namespace scalestudy::collective
