// What a process holds of a GPU by the driver's count, over a library with NVML's names
// (tests/cuda/nvml.cc), which tells different things of each process it is asked to stand in for.
#include "workloads/cuda/driver_memory.h"

#include <cstdlib>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// A GPU for each test: the library counts how often it was asked for one's memory.
std::optional<cuda::HeldMemory> held_of(const std::string& bus_id,
                                        const char* kind,
                                        const char* library = SCALESTUDY_FAKE_NVML) {
  setenv("SCALESTUDY_FAKE_NVML", kind, 1);  // NOLINT(concurrency-mt-unsafe): no other thread
  return cuda::DriverMemory(bus_id, library).held();
}

}  // namespace

// Beside another process, which the list has first.
TEST_CASE("a process that the driver lists holds what it says there", "[cuda]") {
  const auto held = held_of("0000:01:00.0", "process");

  REQUIRE(held.has_value());
  CHECK(held->bytes == 750'000'000);
  CHECK(held->is_of_process);
}

// 3 GB less the 2 GB that were in use before.
TEST_CASE("one that it does not list, or says nothing of, holds what the GPU's memory grew by",
          "[cuda]") {
  const auto [bus_id, kind] = GENERATE(table<std::string, const char*>(
      {{"0000:02:00.0", ""}, {"0000:03:00.0", "empty"}, {"0000:04:00.0", "untold"}}));
  CAPTURE(kind);

  const auto held = held_of(bus_id, kind);

  REQUIRE(held.has_value());
  CHECK(held->bytes == 1'000'000'000);
  CHECK_FALSE(held->is_of_process);
}

TEST_CASE("nothing is held where another process gave memory back, or no driver tells", "[cuda]") {
  CHECK_FALSE(held_of("0000:05:00.0", "shrunk").has_value());
  CHECK_FALSE(held_of("no such GPU", "process").has_value());
  CHECK_FALSE(held_of("0000:06:00.0", "process", "libno-such-library.so.1").has_value());
}
