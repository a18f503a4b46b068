// Preloaded into a program (LD_PRELOAD), steps its wall clock at every reading, forth and back
// between 1970 and 2096. Monotonic clocks stay.
#include <cstdint>
#include <ctime>

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::time_t any_time() {
  static std::uint64_t state = 88172645463325252U;  // xorshift64
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return static_cast<std::time_t>(state % 4'000'000'000U);
}

}  // namespace

// Parameters have the names of libc's headers, without underscores.
extern "C" {

int clock_gettime(clockid_t id, timespec* tp) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, id, tp));
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) {
    tp->tv_sec = any_time();
  }
  return result;
}

int gettimeofday(timeval* tv, void* /*tz*/) noexcept {
  *tv = {any_time(), 0};
  return 0;
}

std::time_t time(std::time_t* timer) noexcept {
  const std::time_t result = any_time();
  if (timer != nullptr) {
    *timer = result;
  }
  return result;
}
}
