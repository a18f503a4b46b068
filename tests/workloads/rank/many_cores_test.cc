// Cores of a machine that has more of them than a cpu_set_t holds.
#include <cerrno>
#include <vector>

#include <sched.h>

#include "tests/support/catch.h"
#include "workloads/rank/affinity.h"

using namespace scalestudy;

namespace {

const std::vector<int> kCores = {3, 1023, 1024, 1999};
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): libc's function fills it
std::vector<int> set_cores;

}  // namespace

// In place of the system's, as a kernel for up to 2000 cores answers. `size` is in bytes.
extern "C" int sched_getaffinity(pid_t /*process*/, std::size_t size, cpu_set_t* set) noexcept {
  if (8 * size < 2000) {
    errno = EINVAL;
    return -1;
  }
  for (const int core : kCores) {
    CPU_SET_S(core, size, set);
  }
  return 0;
}

extern "C" int sched_setaffinity(pid_t /*process*/,
                                 std::size_t size,
                                 const cpu_set_t* set) noexcept {
  set_cores.clear();
  for (int core = 0; core < static_cast<int>(8 * size); ++core) {
    if (CPU_ISSET_S(core, size, set)) {
      set_cores.push_back(core);
    }
  }
  return 0;
}

TEST_CASE("a thread's cores are known on a machine of 2000, and can be set", "[rank]") {
  CHECK(rank::own_cores() == kCores);

  rank::run_on({1999, 7});

  CHECK(set_cores == std::vector<int>{7, 1999});
}
