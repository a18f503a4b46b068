// The time as an interface, so that tests can pass a clock that they move.
#pragma once

#include <optional>
#include <string>

namespace scalestudy {

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  // Seconds on a monotonic clock with an arbitrary zero.
  virtual double monotonic_s() const = 0;

  // UTC, "2026-11-21T10:16:32Z".
  virtual std::string utc_now() const = 0;
};

// The machine's own clocks.
class SystemClock final : public Clock {
 public:
  double monotonic_s() const override;
  std::string utc_now() const override;
};

// Seconds from one text of utc_now() to another; absent if either is no such text.
std::optional<double> seconds_between(const std::string& from, const std::string& to);

}  // namespace scalestudy
