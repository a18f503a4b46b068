// A GPU's memory, marks and facts.
#include "tests/support/catch.h"
#include "tests/workloads/gpu.h"

using namespace scalestudy;
using test::require_gpu;

TEST_CASE("memory of a GPU is zeroed and keeps what is copied to it", "[gpu]") {
  const auto gpu = require_gpu().make_device(0);
  device::Arena arena(*gpu);
  const std::vector<std::int32_t> written = {1, 2, 3};
  std::vector<std::int32_t> read(3, 9);
  std::int32_t* const block = arena.take<std::int32_t>(3).data();

  gpu->copy_to_host(read.data(), block, 3 * sizeof(std::int32_t));
  CHECK(read == std::vector<std::int32_t>{0, 0, 0});

  gpu->copy_to_device(block, written.data(), 3 * sizeof(std::int32_t));
  gpu->copy_to_host(read.data(), block, 3 * sizeof(std::int32_t));
  CHECK(read == written);
  CHECK_FALSE(gpu->is_host_memory());
}

TEST_CASE("memory that a GPU does not have is refused", "[gpu]") {
  const auto gpu = require_gpu().make_device(0);
  device::Arena arena(*gpu);

  CHECK_THROWS_AS(arena.take<std::byte>(std::size_t{1} << 50U), std::bad_alloc);
  CHECK_NOTHROW(arena.take<std::byte>(1));
}

TEST_CASE("marks on a GPU are as far apart as the work between them", "[gpu]") {
  test::Side<float> gpu;
  device::Device& device = gpu.arena.device();
  const ops::MatmulShape shape{.m = 2048, .n = 2048, .k = 2048};
  const std::vector<double> operand = test::numbers(shape.m * shape.k, 1);
  const float* const a = gpu.put(operand);
  float* const c = gpu.room(shape.m * shape.n);
  const auto product = gpu.ops->make_matmul(shape, gpu.arena);
  product->run(a, a, nullptr, c);
  device.reserve_marks(3);

  device.mark(0);
  product->run(a, a, nullptr, c);
  device.mark(1);
  for (int i = 0; i < 20; ++i) {
    product->run(a, a, nullptr, c);
  }
  device.mark(2);

  const double one_s = device.elapsed_s(0, 1);
  const double many_s = device.elapsed_s(1, 2);
  // 17 GFLOP in float take longer than 20 us on any device so far.
  CHECK(one_s > 20e-6);
  CHECK(many_s > 5.0 * one_s);
}

TEST_CASE("what a GPU copies within its memory arrives, no faster than the memory is", "[gpu]") {
  const auto gpu = require_gpu().make_device(0);
  device::Arena arena(*gpu);
  constexpr std::size_t count = std::size_t{1} << 27U;  // 512 MiB, beyond the caches
  float* const from = arena.take<float>(count).data();
  float* const to = arena.take<float>(count).data();
  const std::vector<float> written = {1.0F, 2.0F, 3.0F};
  gpu->copy_to_device(from + count - 3, written.data(), 3 * sizeof(float));
  gpu->reserve_marks(2);

  gpu->mark(0);
  gpu->copy(to, from, count * sizeof(float));
  gpu->mark(1);
  const double copied_bytes_per_s = count * sizeof(float) / gpu->elapsed_s(0, 1);

  std::vector<float> read(3);
  gpu->copy_to_host(read.data(), to + count - 3, 3 * sizeof(float));
  CHECK(read == written);
  const auto limit = require_gpu().facts(0).memory_bytes_per_s;
  std::printf("copied at %.1f GB/s; the memory reads or writes %.1f GB/s\n",
              copied_bytes_per_s * 1e-9,
              limit.value_or(0.0) * 1e-9);
  // Every copied byte is read and written.
  CHECK((!limit || 2.0 * copied_bytes_per_s <= *limit));
}

TEST_CASE("a GPU says what it is, and the libraries what they are", "[gpu]") {
  cuda::Backend& backend = require_gpu();

  const cuda::DeviceFacts facts = backend.facts(0);
  const auto versions = backend.versions();

  CHECK(facts.name == backend.make_device(0)->description());
  CHECK(facts.pci_bus_id.size() >= std::string("0000:00:00.0").size());
  CHECK(facts.memory_bytes > (std::size_t{1} << 30U));
  CHECK(facts.compute_major >= 7);
  CHECK(facts.multiprocessors > 0);
  for (const char* library : {"cuda_runtime", "cuda_driver", "cublas", "cudnn", "nccl"}) {
    INFO(library);
    REQUIRE(versions.count(library) == 1);
    CHECK(versions.at(library).find_first_of("123456789") == 0);
  }
  std::printf("%s, compute capability %d.%d, driver for CUDA %s, runtime %s, cuDNN %s, NCCL %s\n",
              facts.name.c_str(),
              facts.compute_major,
              facts.compute_minor,
              versions.at("cuda_driver").c_str(),
              versions.at("cuda_runtime").c_str(),
              versions.at("cudnn").c_str(),
              versions.at("nccl").c_str());
}
