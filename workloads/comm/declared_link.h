// A declared network: how long operations would take on it.
#pragma once

#include <algorithm>

#include "workloads/comm/collective.h"
#include "workloads/rank/clock.h"

namespace scalestudy::comm {

// A link of a ring. When the data of an operation are through, ranks sleep for as long as it takes
// on a ring of such links: for N ranks an all-reduce is 2 (N - 1) hops and 2 (N - 1)/N of its
// bytes, any other operation half of both. An all-reduce over nodes is on a ring of nodes, each
// rank with its part of the bytes; within nodes it takes no time. Source: Patarasuk and Yuan, J.
// Parallel Distrib. Comput. 69 (2009).
struct DeclaredLink {
  double hop_s = 0.0;  // of a message to the next rank
  double s_per_byte = 0.0;

  double time_s(Operation operation, double bytes, int ranks) const {
    const double hops = (operation == Operation::kAllReduce ? 2.0 : 1.0) * (ranks - 1);
    return hops * (hop_s + bytes / ranks * s_per_byte);
  }
};

// One rank's place in the ring: takes one operation after another.
class LinkQueue {
 public:
  explicit LinkQueue(const DeclaredLink& link) : link_(link) {}

  // When the link will be done with an operation whose data are through now, by rank::now_s().
  double end_s(Operation operation, double bytes, int ranks) {
    free_at_s_ = std::max(free_at_s_, rank::now_s()) + link_.time_s(operation, bytes, ranks);
    return free_at_s_;
  }

 private:
  DeclaredLink link_;
  double free_at_s_ = 0.0;
};

}  // namespace scalestudy::comm
