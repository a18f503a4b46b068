// STREAM's triad over a device's memory.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/device/device.h"
#include "workloads/device/interface.h"

namespace scalestudy::device {

// a = b + 3 c over three arrays of doubles, b = 0, 1, ... 6, 0 ... and c = 2. One thread at a time
// calls, not always the same.
// source: J. D. McCalpin, STREAM (www.cs.virginia.edu/stream), whose bytes these are: two arrays
// read and one written, what a cache reads before it writes not counted.
class Triad : public Interface {
 public:
  // Computes the next part of the arrays, after the last part the first again. On a GPU the part
  // may only be queued on return, but the part before it is done.
  virtual void run_part() = 0;
  // Returns when all parts are done.
  virtual void finish() = 0;

  virtual std::size_t part_bytes() const = 0;
  // How many parts take long enough to be timed together.
  virtual std::size_t parts_a_pass() const = 0;
  virtual std::size_t memory_bytes() const = 0;

  // a[i], for the check of what parts that were run have computed: i % 7 + 6.
  virtual double result(std::size_t i) const = 0;
};

// A triad on a queue beside the device's own, each array four times the L2 cache as in STREAM. It
// leaves multiprocessors free, because blocks of NCCL share theirs with none (NVIDIA/nccl, issue
// 689). `device` is a GPU and outlives the triad. CUDA module only.
std::unique_ptr<Triad> make_cuda_triad(Device& device);

}  // namespace scalestudy::device
