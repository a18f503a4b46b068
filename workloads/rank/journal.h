// The events of a trial while it runs.
#pragma once

#include "workloads/protocol/writer.h"
#include "workloads/rank/clock.h"

namespace scalestudy::rank {

// Silent on ranks other than 0 and in a run by hand: there is no writer then.
class Journal {
 public:
  explicit Journal(protocol::Writer* writer) : writer_(writer) {}

  void write(const protocol::Event& event) {
    if (writer_ != nullptr) {
      writer_->write(event);
    }
    last_s_ = rank::now_s();
  }

  // Between steps: shows that a long run is alive, at most every 10 s and only where the ~20 us it
  // takes are below 0.2 % of a step: this rank's next step is that much longer, and other ranks
  // may wait for it.
  void beat(const char* phase, double step_time_s) {
    if (step_time_s >= 0.01 && rank::now_s() - last_s_ >= 10.0) {
      write(protocol::Phase{phase});
    }
  }

 private:
  protocol::Writer* writer_;
  double last_s_ = rank::now_s();
};

}  // namespace scalestudy::rank
