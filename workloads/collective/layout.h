// How large the buffers of an operation are, and which bandwidth follows from its time.
#pragma once

#include <cstddef>

#include "workloads/comm/collective.h"

namespace scalestudy::collective {

// The buffers of one rank; counts are elements (float32).
struct Layout {
  std::size_t send_count = 0;
  std::size_t receive_count = 0;
  std::size_t total_bytes = 0;  // S of the bandwidths: the larger of the two buffers
  // algbw = S / t; busbw = busbw_factor * algbw, the wire traffic that a ring of the ranks needs:
  // 2 (n - 1)/n for all-reduce, (n - 1)/n for all-gather, reduce-scatter and all-to-all, the pairs
  // at once for ping-pong (of halves: what crosses between them one way), else 1.
  double busbw_factor = 1.0;
  // Messages that follow each other in an operation, 2 for ping-pong; t is the time of one.
  double trips = 1.0;
};

// Calculates the buffers of one rank.
//
//   message_bytes  S, rounded down to whole elements, and to equal parts for the ranks where the
//                  operation splits the buffer.
//   ranks          n >= 1; for n = 1 only broadcast and send_recv have a bus bandwidth.
//   pairs          of ranks that a ping-pong has at once.
//   throws         WorkloadError (usage) if rounding leaves no element.
//   source         github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md, and getCollByteCount of each.
Layout layout_of(comm::Operation operation,
                 std::size_t message_bytes,
                 std::size_t ranks,
                 std::size_t pairs = 1);

}  // namespace scalestudy::collective
