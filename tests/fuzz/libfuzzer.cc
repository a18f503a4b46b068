// A fuzz target as libFuzzer calls it.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalestudy::test::fuzz(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
