// Another form in which the gradients of a bucket travel between ranks.
#pragma once

#include "workloads/comm/comm.h"
#include "workloads/device/interface.h"
#include "workloads/sync/buckets.h"

namespace scalestudy::sync {

// Main thread only. A step packs each bucket once, in order, and unpacks it when it has travelled.
class Wire : public device::Interface {
 public:
  // Whether ranks gather what each has packed; false: they sum it.
  virtual bool is_gathered() const = 0;
  // Packs a bucket's gradients for their way, or queues that.
  // - returns: the whole buffer; if ranks gather, with a part for each rank.
  virtual comm::Buffer pack(std::size_t bucket) = 0;
  // Turns what has arrived into the sum of the bucket's gradients over the ranks, or queues that.
  virtual void unpack(std::size_t bucket) = 0;
};

}  // namespace scalestudy::sync
