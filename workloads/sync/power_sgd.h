// PowerSGD: for each matrix of gradients the ranks sum a product of two thin matrices.
#pragma once

#include <vector>

#include "workloads/sync/exchanges.h"
#include "workloads/sync/low_rank.h"
#include "workloads/sync/strategy.h"

namespace scalestudy::sync {

// The strategy with replicas of the parameters. A step sums twice after backward; the second sum
// depends on the first.
template <typename T>
class PowerSgdSync final : public Strategy {
 public:
  // links     its communicator outlives this, as does `low_rank`; nothing overlaps.
  // elements  of the gradients.
  PowerSgdSync(const Links& links, LowRank<T>& low_rank, std::size_t elements)
      : exchanges_(links),
        low_rank_(low_rank),
        parts_{{.count = elements, .parameters = 0, .gradients = 0, .state = 0}} {}

  std::size_t collective_count() const override { return 2; }
  std::size_t wait_limit() const override { return 1; }
  const std::vector<Part>& parts() const override { return parts_; }

  void begin(CommunicationMarks* marks) override { exchanges_.begin(marks); }
  void on_gradients_ready(std::size_t /*elements*/) override {}
  void finish() override {
    exchanges_.begin_wait();
    exchanges_.start(comm::Operation::kAllReduce, low_rank_.project());
    exchanges_.wait(1);
    exchanges_.start(comm::Operation::kAllReduce, low_rank_.fit());
    exchanges_.wait(2);
    low_rank_.restore();
    exchanges_.end_wait(Within::kSync);
  }
  void sum_of_parts(const comm::Buffer& /*number*/) override {}  // every rank has all of its model
  void on_updated(std::size_t /*part*/) override {}
  void end() override {}

 private:
  Exchanges exchanges_;
  LowRank<T>& low_rank_;
  std::vector<Part> parts_;
};

}  // namespace scalestudy::sync
