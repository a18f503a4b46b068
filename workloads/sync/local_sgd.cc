#include "workloads/sync/local_sgd.h"

#include <utility>

namespace scalestudy::sync {

LocalSgdSync::LocalSgdSync(const Links& links,
                           std::size_t count,
                           std::size_t every,
                           Averaged averaged)
    : exchanges_(links),
      every_(every),
      averaged_(std::move(averaged)),
      parts_{{.count = count, .parameters = 0, .gradients = 0, .state = 0}} {}

void LocalSgdSync::begin(CommunicationMarks* marks) {
  exchanges_.begin(marks);
  if (marks != nullptr && !has_average()) {
    marks->leave_out_collectives();
  }
}

void LocalSgdSync::end() {
  if (has_average()) {
    exchanges_.begin_wait();
    exchanges_.start(comm::Operation::kAllReduce, averaged_.values());
    exchanges_.wait(exchanges_.started());
    exchanges_.end_wait(Within::kUpdate);
    averaged_.divide();
  }
  ++ended_;
}

}  // namespace scalestudy::sync
