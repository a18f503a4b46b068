// A declared network: how long operations would take on it.
#pragma once

#include <algorithm>

#include "workloads/comm/collective.h"

namespace scalestudy::comm {

// A link of a ring. When the data of an operation are through, ranks sleep for as long as it takes
// on a ring of such links: for N ranks an all-reduce is 2 (N - 1) hops and 2 (N - 1)/N of its
// bytes, any other operation half of both. An all-reduce over nodes is on a ring of nodes, each
// rank with its part of the bytes; within nodes it takes no time. Source: Patarasuk and Yuan, J.
// Parallel Distrib. Comput. 69 (2009).
struct DeclaredLink {
  double hop_s = 0.0;  // of a message to the next rank
  double s_per_byte = 0.0;

  // Of a message of that many bytes to the next rank.
  double message_s(double bytes) const { return hop_s + bytes * s_per_byte; }

  // Of an operation over ranks; 0 over one.
  double time_s(Operation operation, double bytes, int ranks) const {
    const double hops = (operation == Operation::kAllReduce ? 2.0 : 1.0) * (ranks - 1);
    return hops * (hop_s + bytes / ranks * s_per_byte);
  }
};

// A link that takes one operation, or message, after another.
class LinkQueue {
 public:
  // Returns when the link will be done with data that are through at `through_s` and take it
  // `time_s`; s, by rank::now_s().
  double end_s(double through_s, double time_s) {
    free_at_s_ = std::max(free_at_s_, through_s) + time_s;
    return free_at_s_;
  }

 private:
  double free_at_s_ = 0.0;
};

}  // namespace scalestudy::comm
