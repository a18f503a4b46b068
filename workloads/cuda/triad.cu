#include <algorithm>
#include <array>

#include "workloads/device/arena.h"
#include "workloads/device/cuda_device.h"
#include "workloads/device/triad.h"
#include "workloads/ops/cuda/cuda_launch.cuh"

namespace scalestudy::device {
namespace {

// What a thread reads and writes at once.
struct alignas(16) Pair {
  double first;
  double second;
};

constexpr std::size_t kParts = 4;         // of the arrays
constexpr unsigned kTriadThreads = 1024;  // of a block, of which each multiprocessor has one
constexpr unsigned kLeftFree = 32;        // multiprocessors, but no more than a quarter

__global__ void fill_kernel(std::size_t count, double* b, double* c) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    b[i] = static_cast<double>(i % 7);
    c[i] = 2.0;
  }
}

__global__ void triad_kernel(std::size_t pairs, Pair* a, const Pair* b, const Pair* c) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < pairs; i += stride) {
    const Pair read = b[i];
    const Pair scaled = c[i];
    a[i] = {read.first + 3.0 * scaled.first, read.second + 3.0 * scaled.second};
  }
}

class CudaTriad final : public Triad {
 public:
  explicit CudaTriad(CudaDevice& device) : device_(device), arena_(device) {
    constexpr std::size_t least = std::size_t{1} << 14U;  // where no cache is told of
    const auto cache_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
    constexpr std::size_t unit = 2 * kParts;  // pairs in each part
    count_ = std::max(least, 4 * cache_bytes / sizeof(double) / unit * unit);
    a_ = arena_.take<double>(count_).data();
    b_ = arena_.take<double>(count_).data();
    c_ = arena_.take<double>(count_).data();
    ops::launch_kernel("fill_kernel",
                       {ops::block_count(count_), ops::kThreads, device.compute()},
                       fill_kernel,
                       count_,
                       b_,
                       c_);
    device.wait();
    const auto all = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount));
    blocks_ = all - std::min(kLeftFree, all / 4);
    int lowest = 0;
    int highest = 0;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, lowest));
  }
  CudaTriad(const CudaTriad&) = delete;
  CudaTriad& operator=(const CudaTriad&) = delete;
  ~CudaTriad() override { report_cuda(cudaStreamDestroy(stream_), "cudaStreamDestroy"); }

  void run_part() override {
    CUDA_CHECK(cudaSetDevice(device_.ordinal()));  // of this thread
    const std::size_t first = parts_ % kParts * (count_ / kParts);
    // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): one access of two
    ops::launch_kernel("triad_kernel",
                       {blocks_, kTriadThreads, stream_},
                       triad_kernel,
                       count_ / kParts / 2,
                       reinterpret_cast<Pair*>(a_ + first),
                       reinterpret_cast<const Pair*>(b_ + first),
                       reinterpret_cast<const Pair*>(c_ + first));
    // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
    CUDA_CHECK(cudaEventRecord(is_done_[parts_ % 2].get(), stream_));
    ++parts_;
    if (parts_ > 1) {
      CUDA_CHECK(cudaEventSynchronize(is_done_[parts_ % 2].get()));
    }
  }

  void finish() override { CUDA_CHECK(cudaStreamSynchronize(stream_)); }

  std::size_t part_bytes() const override { return memory_bytes() / kParts; }
  std::size_t parts_a_pass() const override { return 4 * kParts; }
  std::size_t memory_bytes() const override { return 3 * count_ * sizeof(double); }

  double result(std::size_t i) const override {
    double value = 0.0;
    device_.copy_to_host(&value, a_ + i, sizeof(value));
    return value;
  }

 private:
  int attribute(cudaDeviceAttr name) const {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, name, device_.ordinal()));
    return value;
  }

  CudaDevice& device_;
  Arena arena_;
  std::size_t count_ = 0;  // of each array
  double* a_ = nullptr;
  double* b_ = nullptr;
  double* c_ = nullptr;
  unsigned blocks_ = 0;
  cudaStream_t stream_ = nullptr;
  std::array<CudaEvent, 2> is_done_{CudaEvent(CudaEvent::Use::kOrder),
                                    CudaEvent(CudaEvent::Use::kOrder)};  // in turn
  std::size_t parts_ = 0;
};

}  // namespace

std::unique_ptr<Triad> make_cuda_triad(Device& device) {
  return std::make_unique<CudaTriad>(dynamic_cast<CudaDevice&>(device));
}

}  // namespace scalestudy::device
