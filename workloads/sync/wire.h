// What travels between ranks for the gradients of a bucket, where that is not they themselves.
#pragma once

#include "workloads/comm/comm.h"
#include "workloads/sync/buckets.h"

namespace scalestudy::sync {

// Main thread only. A step packs each bucket once, in order, and unpacks it when it has travelled.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  // Whether ranks gather what each has packed; else it is summed.
  virtual bool is_gathered() const = 0;
  // Makes of a bucket's gradients what travels, or queues it.
  //   returns  all of it; where ranks gather, with a part for each.
  virtual comm::Buffer pack(std::size_t bucket) = 0;
  // What has arrived becomes the sum of the bucket's gradients over the ranks, or will.
  virtual void unpack(std::size_t bucket) = 0;
};

}  // namespace scalestudy::sync
