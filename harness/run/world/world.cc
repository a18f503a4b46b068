#include "harness/run/world/world.h"

#include <chrono>
#include <thread>

namespace scalestudy {

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace scalestudy
