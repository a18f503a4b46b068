#include "harness/host/gpu_facts.h"

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("GPUs, driver and CUDA version are read through NVML", "[host]") {
  const auto facts = read_gpus(SCALESTUDY_FAKE_NVML);

  REQUIRE(facts.has_value());
  CHECK(facts->count == 2);
  CHECK(facts->models == std::vector<std::string>{"Fake GPU", "Fake GPU"});
  CHECK(facts->driver == "580.1");
  CHECK(facts->cuda_driver == "13.2");
}

TEST_CASE("what joins GPUs is read pair by pair, and how wide their bus is", "[host]") {
  const auto facts = read_gpus(SCALESTUDY_FAKE_NVML);

  REQUIRE(facts.has_value());
  CHECK(facts->links == "PCIe peer access: all pairs");
  CHECK(facts->pcie == "generation 5, 16 lanes");
}

TEST_CASE("without NVML there are no facts", "[host]") {
  CHECK_FALSE(read_gpus("libno-such-library.so.1").has_value());
}

TEST_CASE("CUDA_VISIBLE_DEVICES hides GPUs up to the first entry that names none", "[host]") {
  CHECK(visible_gpus(4, std::nullopt) == 4);
  CHECK(visible_gpus(4, "") == 0);
  CHECK(visible_gpus(4, "0,2") == 2);
  CHECK(visible_gpus(4, "0,-1,2") == 1);
  CHECK(visible_gpus(4, "1,9") == 1);
  CHECK(visible_gpus(2, "GPU-8d3f,GPU-77aa") == 2);
  CHECK(visible_gpus(4, "NoDevFiles") == 0);
}
