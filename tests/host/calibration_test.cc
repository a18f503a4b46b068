// The product that tells whether the machine is still the same.
#include "harness/host/calibration.h"

#include <algorithm>
#include <vector>

#include <sched.h>
#include <sys/resource.h>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// A CPU of this process.
int own_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
  int cpu = 0;
  while (CPU_ISSET(static_cast<std::size_t>(cpu), &set) == 0) {
    ++cpu;
  }
  return cpu;
}

// Other programs get next to nothing beside this one and its children, where that is allowed
// (root).
void go_first() {
  constexpr int most = -20;
  setpriority(PRIO_PROCESS, 0, most);
}

std::vector<double> some_times(const std::vector<int>& cpus) {
  std::vector<double> times_s;
  for (int i = 0; i < 9; ++i) {
    times_s.push_back(time_product(cpus).value());
  }
  std::ranges::sort(times_s);
  return times_s;
}

}  // namespace

TEST_CASE("a core that is shared takes longer for the product", "[host]") {
  go_first();
  const int cpu = own_cpu();
  // What others on the machine take from it makes it longer only.
  const double alone_s = some_times({cpu}).front();

  CHECK(alone_s > 0.001);
  // Four take their turns, of some milliseconds: two may do so between two products.
  CHECK(some_times({cpu, cpu, cpu, cpu})[4] > 1.4 * alone_s);
}

TEST_CASE("without a core there is no time", "[host]") {
  CHECK_FALSE(time_product({}));
}
