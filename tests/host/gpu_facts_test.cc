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
  CHECK(facts->pcie == "generation 5, 16 lanes, 63.0 GB/s each way");
  CHECK(facts->numa == "0: node 0; 1: node 1");
}

TEST_CASE("a PCI Express link carries what its line code leaves", "[host]") {
  // By hand: 2.5e9 x 8/10 / 8 bytes of one lane; 8e9 x 128/130 x 16 / 8; 32e9 x 128/130 x 16 / 8.
  CHECK(pcie_bytes_per_s(1, 1) == Approx(0.25e9));
  CHECK(pcie_bytes_per_s(2, 4) == Approx(2e9));
  CHECK(pcie_bytes_per_s(3, 16) == Approx(15.753846e9));
  CHECK(pcie_bytes_per_s(5, 16) == Approx(63.015385e9));
  CHECK(pcie_bytes_per_s(0, 16) == 0.0);
  CHECK(pcie_bytes_per_s(6, 16) == 0.0);  // flits, another code
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
