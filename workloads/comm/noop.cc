#include "workloads/comm/comm.h"

namespace scalestudy::comm {
namespace {

class NoopComm final : public Comm {
 public:
  void allreduce_sum(const Buffer& /*buffer*/) override {}
  void start_allreduce_sum(std::size_t /*slot*/, const Buffer& /*buffer*/) override {}
  bool test(std::size_t /*slot*/) override { return true; }
  void wait(std::size_t /*slot*/) override {}
};

}  // namespace

std::unique_ptr<Comm> make_noop_comm() {
  return std::make_unique<NoopComm>();
}

}  // namespace scalestudy::comm
