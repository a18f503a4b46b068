// A clock that stands still until it is moved.
#pragma once

#include "harness/base/clock.h"

namespace scalestudy::test {

class FakeClock final : public Clock {
 public:
  double monotonic_s() const override { return now_s; }
  std::string utc_now() const override { return "2026-11-21T10:00:00Z"; }

  double now_s = 0.0;
};

}  // namespace scalestudy::test
