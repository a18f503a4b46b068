// Distributed data parallel, with or without ZeRO-1: replicas of the parameters, gradients summed
// bucket by bucket.
#pragma once

#include <vector>

#include "workloads/sync/buckets.h"
#include "workloads/sync/exchanges.h"
#include "workloads/sync/strategy.h"
#include "workloads/sync/wire.h"

namespace scalestudy::sync {

class DdpSync final : public Strategy {
 public:
  // With links.payload kElement gradients are not summed: the control that waits for other ranks
  // and moves next to nothing.
  // - links: its communicator has a slot for each bucket, and outlives this.
  // - gradients: the flat buffer in the order gradients become ready; outlives this.
  // - buckets: in bytes of the gradients, whatever travels.
  // - ready_calls: most calls of on_gradients_ready() in a step.
  // - wire: packs gradients for their way, outlives this; nullptr: they travel unchanged.
  // - parameters: for ZeRO-1, as long as the gradients: of each bucket a rank gets its share of the
  //   sum and updates it, then all gather the bucket. Shares are equal, because the elements of a
  //   bucket are a multiple of the number of ranks. source: Rajbhandari et al., SC 2020,
  //   section 5.1.
  DdpSync(const Links& links,
          comm::Buffer gradients,
          std::vector<Bucket> buckets,
          std::size_t ready_calls,
          Wire* wire = nullptr,
          const comm::Buffer* parameters = nullptr);

  std::size_t collective_count() const override { return collective_count_; }
  std::size_t wait_limit() const override { return wait_limit_; }
  const std::vector<Part>& parts() const override { return parts_; }

  void begin(CommunicationMarks* marks) override;
  void on_gradients_ready(std::size_t elements) override;
  void finish() override;
  void sum_of_parts(const comm::Buffer& number) override;
  void on_updated(std::size_t part) override;
  void end() override;

 private:
  void start_ready(std::size_t ready_bytes);
  // Unpacks into the gradients what is known to be summed.
  void unpack_complete();
  // A bucket's place in a buffer of the gradients' type.
  static comm::Buffer part_of(const comm::Buffer& buffer, const Bucket& bucket);

  Exchanges exchanges_;
  Overlap overlap_;
  comm::Buffer gradients_;
  comm::Buffer parameters_;  // no data: every rank updates all of them
  std::vector<Bucket> buckets_;
  std::vector<Part> parts_;
  std::size_t wait_limit_;
  Wire* wire_;
  std::size_t collective_count_;
  std::size_t unpacked_ = 0;  // buckets of this step
};

}  // namespace scalestudy::sync
