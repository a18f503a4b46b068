// What the executor of kernels finds in kernels that are wrong, in every order of threads.
#include <string>
#include <vector>

#include "tests/cuda/example_kernels.h"
#include "tests/cuda/fake_gpu.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::Example;

namespace {

constexpr std::size_t kCount = 128;
constexpr int kOrders = 9;  // of blocks times those of threads

// Device memory of kCount elements that are 1, and a queue.
struct Gpu {
  Gpu() {
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0);
    void* block = nullptr;
    REQUIRE(cudaMalloc(&block, kCount * sizeof(float)) == cudaSuccess);
    memory = static_cast<float*>(block);
    const std::vector<float> ones(kCount, 1.0F);
    REQUIRE(cudaMemcpyAsync(
                memory, ones.data(), kCount * sizeof(float), cudaMemcpyHostToDevice, stream) ==
            cudaSuccess);
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu() {
    cudaFree(memory);
    cudaStreamDestroy(stream);
  }

  cudaError_t run(Example example) const {
    return test::run_example(example, memory, kCount, stream);
  }

  // NOLINTBEGIN(misc-non-private-member-variables-in-classes): what tests have it for
  cudaStream_t stream = nullptr;
  float* memory = nullptr;
  // NOLINTEND(misc-non-private-member-variables-in-classes)
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a kernel that shares memory over a barrier adds up in every order", "[stand-in]") {
  const Gpu gpu;
  for (int order = 0; order < kOrders; ++order) {
    CAPTURE(order);

    REQUIRE(gpu.run(Example::kSum) == cudaSuccess);

    CHECK(gpu.memory[64] == 64.0F);
    gpu.memory[64] = 1.0F;
  }
}

TEST_CASE("what a kernel does wrong is found in every order", "[stand-in]") {
  const auto [example, words] = GENERATE(table<Example, std::string>({
      {Example::kSumWithoutBarrier, "thread"},
      {Example::kReadBeforeWrite, "reads shared memory that no thread of its block has written"},
      {Example::kPartOfABarrier, "32 have ended, 32 wait at a barrier"},
      {Example::kLaneOutsideMask, "takes part in a shuffle whose mask does not name it"},
      {Example::kLaneThatLeft, "62 in a shuffle with mask 0xFFFFFFFF"},
      {Example::kBeyondTheEnd, "512 bytes behind the begin of 512"},
      {Example::kBeforeTheBegin, "-4 bytes behind the begin of 512"},
      {Example::kHostMemory, "bytes of host memory"},
      {Example::kMisaligned, "at an address that is no multiple of it"},
      {Example::kBlocksMeet, "another block"},
  }));
  CAPTURE(static_cast<int>(example), words);
  const Gpu gpu;
  for (int order = 0; order < kOrders; ++order) {
    CAPTURE(order);

    CHECK(gpu.run(example) == cudaErrorLaunchFailure);

    CAPTURE(test::reason());
    CHECK(contains(test::reason(), words));
    CHECK(test::run_nothing(1, 1, gpu.stream) == cudaSuccess);  // the next launch is the next order
  }
}

TEST_CASE("blocks may meet in an atomic operation", "[stand-in]") {
  const Gpu gpu;

  CHECK(gpu.run(Example::kBlocksMeetAtomically) == cudaSuccess);

  CHECK(reinterpret_cast<const int*>(gpu.memory)[0] == 1);
}

TEST_CASE("every place of a grid is taken once in every order", "[stand-in]") {
  const Gpu gpu;
  const std::vector<int> zeros(kCount, 0);
  int* const counts = reinterpret_cast<int*>(gpu.memory);
  for (int order = 0; order < kOrders; ++order) {
    cudaMemcpyAsync(counts, zeros.data(), kCount * sizeof(int), cudaMemcpyHostToDevice, gpu.stream);

    REQUIRE(test::count_threads(counts, dim3(3, 2, 1), dim3(5, 2, 2), gpu.stream) == cudaSuccess);

    CAPTURE(order);
    CHECK(std::vector<int>(counts, counts + 120) == std::vector<int>(120, 1));
    CHECK(counts[120] == 0);
  }
}

TEST_CASE("a grid that no GPU takes is refused", "[stand-in]") {
  const Gpu gpu;

  CHECK(test::run_nothing(1, 1024, gpu.stream) == cudaSuccess);
  CHECK(test::run_nothing(1, 1025, gpu.stream) == cudaErrorInvalidConfiguration);
  CHECK(test::run_nothing(0, 32, gpu.stream) == cudaErrorInvalidConfiguration);
  CHECK(test::run_nothing(dim3(1, 65536), 32, gpu.stream) == cudaErrorInvalidConfiguration);
  CHECK(test::run_nothing(1, dim3(1, 1, 65), gpu.stream) == cudaErrorInvalidConfiguration);
  CHECK(test::run_nothing(1, 32, nullptr) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("memory ends where it was asked to", "[stand-in]") {
  const Gpu gpu;

  CHECK(test::is_on_device(gpu.memory, kCount * sizeof(float)));
  CHECK_FALSE(test::is_on_device(gpu.memory, kCount * sizeof(float) + 1));
  CHECK_FALSE(test::is_on_device(gpu.memory - 1, sizeof(float)));
  CHECK(cudaFree(gpu.memory + 1) == cudaErrorInvalidValue);
  void* block = nullptr;
  CHECK(cudaMalloc(&block, std::size_t{1} << 50U) == cudaErrorMemoryAllocation);
}
