#include "workloads/train/times/clock_match.h"

#include <cassert>
#include <limits>

namespace scalestudy::train {
namespace {

constexpr double kSecondsPerNs = 1e-9;
constexpr int kTries = 20;

// Exact where doubles of either are not.
double between_s(std::uint64_t from_ns, std::uint64_t to_ns) {
  return static_cast<double>(static_cast<std::int64_t>(to_ns - from_ns)) * kSecondsPerNs;
}

}  // namespace

MarkedMoment mark_moment(device::Device& device, device::Mark first, const ClockNs& clock_ns) {
  MarkedMoment best{.error_s = std::numeric_limits<double>::infinity()};
  device::Mark spare = first;
  for (int i = 0; i < kTries; ++i) {
    device.wait();
    const std::uint64_t before_ns = clock_ns();
    device.mark(spare);
    device.wait();
    const std::uint64_t after_ns = clock_ns();
    const double error_s = between_s(before_ns, after_ns) / 2;
    if (error_s >= 0.0 && error_s < best.error_s) {
      best = {spare, before_ns + (after_ns - before_ns) / 2, error_s};
      spare = spare == first ? first + 1 : first;
    }
  }
  return best;
}

double to_trace_s(std::span<const ClockMatch> matches, std::uint64_t clock_ns) {
  assert(!matches.empty());
  const ClockMatch& from = matches.front();
  const ClockMatch& to = matches.back();
  const double clock_s = between_s(from.clock_ns, to.clock_ns);
  const double speed = clock_s > 0.0 ? (to.trace_s - from.trace_s) / clock_s : 1.0;
  return from.trace_s + between_s(from.clock_ns, clock_ns) * speed;
}

}  // namespace scalestudy::train
