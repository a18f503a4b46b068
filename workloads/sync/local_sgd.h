// Local SGD: each rank updates its replica by its own gradients, and every few steps all replicas
// become their mean.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "workloads/sync/exchanges.h"
#include "workloads/sync/strategy.h"

namespace scalestudy::sync {

// The values that are averaged in place.
struct Averaged {
  std::function<comm::Buffer()> values;  // returns the buffer that is summed over the ranks
  std::function<void()> divide;          // makes the mean of the sum, or queues that
};

// After steps `every`, 2 * `every` and so on parameters become their mean over the ranks; in other
// steps nothing travels. The optimizer's state stays each rank's own.
// source: Stich, "Local SGD converges fast and communicates little", ICLR 2019, algorithm 1;
// PyTorch's PeriodicModelAverager averages parameters alone too.
class LocalSgdSync final : public Strategy {
 public:
  // links  its communicator outlives this; nothing overlaps.
  // count  parameters.
  LocalSgdSync(const Links& links, std::size_t count, std::size_t every, Averaged averaged);

  std::size_t collective_count() const override { return 1; }
  std::size_t wait_limit() const override { return 1; }
  const std::vector<Part>& parts() const override { return parts_; }

  void begin(CommunicationMarks* marks) override;
  void on_gradients_ready(std::size_t /*elements*/) override {}
  void finish() override {}
  void sum_of_parts(const comm::Buffer& /*number*/) override {}  // every rank has all of its model
  void on_updated(std::size_t /*part*/) override {}
  void end() override;

 private:
  // Whether this step ends with an average.
  bool has_average() const { return (ended_ + 1) % every_ == 0; }

  Exchanges exchanges_;
  std::size_t every_;
  Averaged averaged_;
  std::vector<Part> parts_;
  std::size_t ended_ = 0;  // steps
};

}  // namespace scalestudy::sync
