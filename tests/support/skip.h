// A test that this machine cannot do.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace scalestudy::test {

// Ends the test, which CTest then calls skipped.
[[noreturn]] inline void skip(const std::string& why) {
  std::printf("skipped: %s\n", why.c_str());
  std::fflush(stdout);
  std::_Exit(77);
}

}  // namespace scalestudy::test
