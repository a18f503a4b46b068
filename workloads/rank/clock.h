// The clock steps are timed with.
#pragma once

#include <chrono>

namespace scalestudy::rank {

// Seconds, monotonic, arbitrary zero; comparable on one machine (Linux: CLOCK_MONOTONIC).
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The clock between the phases of a step, which may be off: with timing light only the step's two
// ends are read, which bounds the cost of observing the phases. now_s() is 0 while it is off.
class PhaseClock {
 public:
  explicit PhaseClock(bool is_on) : is_on_(is_on) {}
  bool is_on() const { return is_on_; }
  double now_s() const { return is_on_ ? rank::now_s() : 0.0; }

 private:
  bool is_on_;
};

}  // namespace scalestudy::rank
