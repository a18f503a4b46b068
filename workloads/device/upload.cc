#include "workloads/device/upload.h"

#include <vector>

#include "workloads/device/cuda_check.h"
#include "workloads/device/cuda_device.h"

namespace scalestudy::device {
namespace {

class CudaUpload final : public Upload {
 public:
  CudaUpload(CudaDevice& device, std::size_t slots) : device_(device) {
    for (std::size_t i = 0; i < slots; ++i) {
      is_free_.emplace_back(CudaEvent::Use::kSleep);
    }
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, 0));
  }
  CudaUpload(const CudaUpload&) = delete;
  CudaUpload& operator=(const CudaUpload&) = delete;
  ~CudaUpload() override { report_cuda(cudaStreamDestroy(stream_), "cudaStreamDestroy"); }

  void give_back(std::size_t slot) override {
    CUDA_CHECK(cudaEventRecord(is_free_.at(slot).get(), device_.compute()));
  }

  void write(std::size_t slot, void* to, const void* from, std::size_t bytes) override {
    CUDA_CHECK(cudaSetDevice(device_.ordinal()));  // of this thread
    // A slot that was never given back is free: its event is past.
    CUDA_CHECK(cudaEventSynchronize(is_free_.at(slot).get()));
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
    CUDA_CHECK(cudaEventRecord(is_copied_.get(), stream_));
    CUDA_CHECK(cudaEventSynchronize(is_copied_.get()));
  }

 private:
  CudaDevice& device_;
  std::vector<CudaEvent> is_free_;  // of each slot
  CudaEvent is_copied_{CudaEvent::Use::kSleep};
  cudaStream_t stream_ = nullptr;
};

}  // namespace

std::unique_ptr<Upload> make_upload(Device& device, std::size_t slots) {
  return std::make_unique<CudaUpload>(dynamic_cast<CudaDevice&>(device), slots);
}

}  // namespace scalestudy::device
