// Writes the events of a trial while it runs.
#pragma once

#include "workloads/protocol/writer.h"
#include "workloads/rank/clock.h"

namespace scalestudy::rank {

// Writes nothing without a writer: on ranks other than 0 and in a run by hand.
class Journal {
 public:
  explicit Journal(protocol::Writer* writer) : writer_(writer) {}

  void write(const protocol::Event& event) {
    if (writer_ != nullptr) {
      writer_->write(event);
    }
    last_s_ = rank::now_s();
  }

  // Shows that a long run is alive, at most every 10 s; call it between steps, however short they
  // are: a run of many short steps is ended for its silence like any other. It takes ~20 us, by
  // which one step in 10 s is longer; other ranks may wait for it.
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
