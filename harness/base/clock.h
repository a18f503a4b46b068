// Seam to time: tests pass a clock they can move.
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

// From one text of utc_now() to another; absent when one is none.
std::optional<double> seconds_between(const std::string& from, const std::string& to);

}  // namespace scalestudy
