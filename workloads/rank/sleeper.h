// Sleeps that stand for work of a declared length.
#pragma once

#include <chrono>
#include <thread>

#include "workloads/rank/clock.h"

namespace scalestudy::rank {

// From here on sleeps of this thread, and of threads that it starts, end within microseconds on an
// idle core, where Linux gathers them in 0.05 ms otherwise; and on a busy one, from Linux 6.12 on,
// without waiting for the end of another program's slice.
void sharpen_sleeps();

inline void sleep_for(double seconds) {
  if (seconds > 0.0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
}

// By now_s().
inline void sleep_until(double end_s) {
  sleep_for(end_s - now_s());
}

// Of a rank that waits for others: on cores that they share a wait that only yields is in their
// way.
inline void leave_core() {
  sleep_for(50e-6);
}

// A sleep ends late, the more so where ranks share cores. What one was late the next ones are
// shorter, so that a row of them takes what was asked for and one delay.
class Sleeper {
 public:
  // A row begins.
  void begin() { late_s_ = 0.0; }

  // seconds  >= 0
  void sleep(double seconds) {
    const double left_s = seconds - late_s_;
    if (left_s <= 0.0) {
      late_s_ = -left_s;
      return;
    }
    const double begin_s = now_s();
    sleep_for(left_s);
    late_s_ = now_s() - begin_s - left_s;
  }

 private:
  double late_s_ = 0.0;  // in this row, not yet made up for
};

}  // namespace scalestudy::rank
