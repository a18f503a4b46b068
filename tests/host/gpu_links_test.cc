#include "harness/host/gpu_links.h"

#include "harness/host/gpu_facts.h"
#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("what joins each two GPUs is read with what it carries", "[host]") {
  const auto facts = read_gpus(SCALESTUDY_FAKE_NVLINK);
  REQUIRE(facts);
  const auto link = [&](int a, int b) {
    const auto found = find_device_link(facts->link_rates, DevicePair(a, b));
    return found.value_or(DeviceLink());
  };

  // Three of four links are up: 3 x 25.781 GB/s = 77.343; by a switch 2 x 26.562 = 53.124.
  CHECK(link(0, 1).kind == "NVLink x3");
  CHECK(link(0, 1).bytes_per_s == Approx(77.343e9).epsilon(1e-3));
  CHECK(link(0, 1).by == "NVML's speed of each link");
  CHECK(link(2, 3).kind == "NVLink x2 by a switch");
  CHECK(link(2, 3).bytes_per_s == Approx(53.124e9).epsilon(1e-3));
  // The slower of generations 5 and 4, 16e9 x 128/130 x 16 / 8 = 31.508e9.
  CHECK(link(0, 2).kind == "PCIe 4.0 x16");
  CHECK(link(0, 2).bytes_per_s == Approx(31.508e9).epsilon(1e-3));
  CHECK(link(0, 2).by == "its specification");
  CHECK(link(1, 2).kind == "PCIe 4.0 x16 by way of the host");
  CHECK(link(0, 3).kind == "PCIe 5.0 x16 by way of the host");
  CHECK(link(0, 3).bytes_per_s == Approx(63.015e9).epsilon(1e-3));
}
