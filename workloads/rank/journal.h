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

  // Between steps, at now_s(): shows that a long run is alive, at most every 10 s, however short
  // its steps are: a run of many short steps is ended for its silence like any other. It takes
  // ~20 us, by which one step in 10 s is longer; other ranks may wait for it.
  void beat(const char* phase, double now_s) {
    if (now_s - last_s_ >= 10.0) {
      write(protocol::Phase{phase});
      last_s_ = now_s;
    }
  }

 private:
  protocol::Writer* writer_;
  double last_s_ = rank::now_s();
};

}  // namespace scalestudy::rank
