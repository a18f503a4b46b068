#include "workloads/train/times/clock_match.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/fake_device.h"

using namespace scalestudy;
using test::FakeDevice;
using train::ClockMatch;

namespace {

constexpr std::uint64_t kIn2026Ns = 1'795'591'387'000'000'001;

}  // namespace

// By hand: 10 s of the trace are 10.001 s of the clock, so that 5.0005 s of it are 5 s of the trace
// and 2.0002 s before the first match are 2 s before that.
TEST_CASE("a clock that drifts is corrected by a straight line", "[train]") {
  const std::vector<ClockMatch> matches = {{3.0, kIn2026Ns, 0.0},
                                           {13.0, kIn2026Ns + 10'001'000'000, 0.0}};

  CHECK(train::to_trace_s(matches, kIn2026Ns) == 3.0);
  CHECK(train::to_trace_s(matches, kIn2026Ns + 5'000'500'000) == Approx(8.0).epsilon(1e-14));
  CHECK(train::to_trace_s(matches, kIn2026Ns + 10'001'000'000) == Approx(13.0).epsilon(1e-14));
  CHECK(train::to_trace_s(matches, kIn2026Ns - 2'000'200'000) == Approx(1.0).epsilon(1e-14));
}

TEST_CASE("a nanosecond of a clock that counts from 1970 is one of the trace", "[train]") {
  const std::vector<ClockMatch> one = {{1.0, kIn2026Ns, 0.0}};

  CHECK(train::to_trace_s(one, kIn2026Ns + 1) - 1.0 == Approx(1e-9).epsilon(1e-6));
  CHECK(train::to_trace_s(one, kIn2026Ns - 1) - 1.0 == Approx(-1e-9).epsilon(1e-6));
}

// A clock whose readings take 20 us but for the sixth, which takes 2 us: with the mark's 2 us the
// third try has 4 us between its readings, and the mark 2 us behind the first of them.
TEST_CASE("of several tries the one that took the least time tells a moment", "[train]") {
  FakeDevice device(2e-6);
  device.reserve_marks(3);
  device.mark(2);  // at 0
  int readings = 0;
  const auto clock_ns = [&] {
    device.now_s += ++readings == 6 ? 2e-6 : 20e-6;
    return kIn2026Ns + static_cast<std::uint64_t>(std::llround(device.now_s * 1e9));
  };

  const train::MarkedMoment moment = train::mark_moment(device, 0, clock_ns);

  CHECK(moment.error_s == Approx(2e-6));
  const double marked_s = device.elapsed_s(2, moment.mark);
  CHECK(marked_s == Approx(2e-6 + 2 * (20e-6 + 2e-6 + 20e-6) + 20e-6));
  CHECK(static_cast<double>(moment.clock_ns - kIn2026Ns) * 1e-9 == Approx(marked_s + 2e-6));
}
