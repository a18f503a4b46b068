// One rank's buffers and the operation on them: a step that times itself, and a check of the data.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "workloads/collective/layout.h"
#include "workloads/collective/options.h"
#include "workloads/comm/collective.h"
#include "workloads/device/arena.h"
#include "workloads/device/device.h"
#include "workloads/rank/world.h"

namespace scalestudy::collective {

// Bytes/s at which a rank copies within its device's memory while all ranks do; a copied byte
// counts once, though it is read and written. Returns `count` values, each of one copy of `bytes`;
// the first is warm-up. Every rank calls.
std::vector<double> measure_copy_bandwidth(device::Device& device,
                                           const rank::World& world,
                                           std::size_t bytes,
                                           std::size_t count);

// Main thread only. Allocates at construction, never in a step.
class Bench {
 public:
  Bench(const Options& options, const rank::World& world, device::Device& device);

  // Runs a step and returns the seconds of one operation on this rank (for a ping-pong of one way).
  // Ranks start together, after a barrier. The clock is the device's: on a GPU it runs from when
  // the empty queue meets the first operation until the last one is done, so that the time of an
  // isolated operation includes its launch. Throws WorkloadError when an operation failed.
  double step();

  // Forgets what was received, so that only a later operation can make it right.
  void poison();
  // The number of wrong elements that a rank received: the largest over all ranks.
  std::size_t wrong_elements();

  const Layout& layout() const { return layout_; }
  // Bytes of the buffers, without memory inside MPI and NCCL.
  std::size_t peak_bytes() const { return arena_.bytes(); }

 private:
  // The largest time over all ranks, on every rank: a rank in no pair has nothing to time, and rank
  // 0 judges the warm-up by its own times.
  double longest(double time_s) const;

  const rank::World& world_;
  device::Device& device_;
  Options options_;
  Layout layout_;
  device::Arena arena_;
  std::span<float> send_;      // on the device
  std::span<float> receive_;   // on the device
  std::vector<float> staged_;  // on the host, as many as the larger of the two
  std::unique_ptr<comm::Collective> operation_;
};

}  // namespace scalestudy::collective
