// A test that this machine cannot do.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <sched.h>

namespace scalestudy::test {

// Ends the test, which CTest then calls skipped.
[[noreturn]] inline void skip(const std::string& why) {
  std::printf("skipped: %s\n", why.c_str());
  std::fflush(stdout);
  std::_Exit(77);
}

// Likewise in the presets asan and tsan, whose shadow memory is memory of the program too.
inline void skip_with_shadow_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("the sanitizer needs memory of its own");
#endif
}

// Likewise where two ranks share a core (taskset -c 0): nothing is claimed of such a cell.
inline void skip_on_one_core() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) < 2) {
    skip("two ranks need two cores");
  }
}

}  // namespace scalestudy::test
