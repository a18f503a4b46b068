// Sleeps that stand for work of a declared length.
#pragma once

#include <chrono>
#include <ctime>
#include <thread>

#include "workloads/rank/clock.h"

namespace scalestudy::rank {

// From here on sleeps of this thread, and of threads that it starts, end within microseconds on an
// idle core (otherwise Linux delays them by up to 0.05 ms), and from Linux 6.12 on also on a busy
// one, without waiting for the end of another program's slice.
void sharpen_sleeps();

inline void sleep_for(double seconds) {
  if (seconds > 0.0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
}

// Sleeps until now_s() is `end_s`.
inline void sleep_until(double end_s) {
  sleep_for(end_s - now_s());
}

// Sleeps 50 us, for a rank that waits for others: on shared cores a wait that only yields would be
// in their way. A call of its own, by which the stepped clock of tests tells it from declared work.
inline void leave_core() {
  const timespec pause{.tv_sec = 0, .tv_nsec = 50'000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
}

// A row of sleeps. Each ends late, the more so if ranks share cores; the next ones are shorter by
// that, so that the row takes the time asked for and one delay.
class Sleeper {
 public:
  // Begins a row.
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
