#include "workloads/device/pinned_memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "workloads/device/cuda_check.h"

namespace scalestudy::device {
namespace {

class PinnedMemory final : public Device {
 public:
  std::string description() const override { return "pinned memory"; }
  bool is_host_memory() const override { return true; }

  void* allocate(std::size_t bytes) override {
    void* block = nullptr;
    const cudaError_t status = cudaMallocHost(&block, std::max<std::size_t>(bytes, 1));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    check_cuda(status, "cudaMallocHost", __FILE__, __LINE__);
    std::memset(block, 0, bytes);
    return block;
  }
  void release(void* block) noexcept override { report_cuda(cudaFreeHost(block), "cudaFreeHost"); }

  void copy_to_device(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void clear(void* block, std::size_t bytes) override { std::memset(block, 0, bytes); }
  void wait() override {}

  void reserve_marks(std::size_t /*count*/) override { refuse(); }
  void mark(Mark /*at*/) override { refuse(); }
  double elapsed_s(Mark /*from*/, Mark /*to*/) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("pinned memory takes no times"); }
};

}  // namespace

std::unique_ptr<Device> make_pinned_memory() {
  return std::make_unique<PinnedMemory>();
}

}  // namespace scalestudy::device
