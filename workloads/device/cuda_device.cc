#include "workloads/device/cuda_device.h"

#include <algorithm>
#include <new>
#include <utility>

#include "workloads/device/cuda_check.h"

namespace scalestudy::device {

CudaEvent::CudaEvent(Use use) {
  const unsigned int flags = use == Use::kTiming  ? cudaEventDefault
                             : use == Use::kOrder ? cudaEventDisableTiming
                                                  : cudaEventDisableTiming | cudaEventBlockingSync;
  CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags));
}

CudaEvent::CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}

CudaEvent::~CudaEvent() {
  if (event_ != nullptr) {
    report_cuda(cudaEventDestroy(event_), "cudaEventDestroy");
  }
}

CudaDevice::CudaDevice(int ordinal) : ordinal_(ordinal) {
  CUDA_CHECK(cudaSetDevice(ordinal));
  cudaDeviceProp properties{};
  CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
  description_ = properties.name;
  int lowest = 0;
  int highest = 0;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  CUDA_CHECK(cudaStreamCreateWithPriority(&compute_, cudaStreamNonBlocking, lowest));
  for (cudaStream_t* stream : {&communication_, &communication_beside_, &past_}) {
    CUDA_CHECK(cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, highest));
  }
}

CudaDevice::~CudaDevice() {
  for (cudaStream_t stream : {compute_, communication_, communication_beside_, past_}) {
    report_cuda(cudaStreamDestroy(stream), "cudaStreamDestroy");
  }
}

void* CudaDevice::allocate(std::size_t bytes) {
  void* block = nullptr;
  // cudaMalloc returns nullptr for nothing, and every buffer has an address of its own.
  const cudaError_t status = cudaMalloc(&block, std::max<std::size_t>(bytes, 1));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw std::bad_alloc();
  }
  check_cuda(status, "cudaMalloc", __FILE__, __LINE__);
  CUDA_CHECK(cudaMemsetAsync(block, 0, bytes, compute_));
  wait();
  return block;
}

void CudaDevice::release(void* block) noexcept {
  report_cuda(cudaFree(block), "cudaFree");
}

void CudaDevice::copy_to_device(void* to, const void* from, std::size_t bytes) {
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, compute_));
  wait();
}

void CudaDevice::copy_to_host(void* to, const void* from, std::size_t bytes) {
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, compute_));
  wait();
}

void CudaDevice::copy_past_to_host(void* to, const void* from, std::size_t bytes) {
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, past_));
  CUDA_CHECK(cudaStreamSynchronize(past_));
}

void CudaDevice::copy(void* to, const void* from, std::size_t bytes) {
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, compute_));
}

void CudaDevice::clear(void* block, std::size_t bytes) {
  CUDA_CHECK(cudaMemsetAsync(block, 0, bytes, compute_));
}

void CudaDevice::wait() {
  CUDA_CHECK(cudaStreamSynchronize(compute_));
}

void CudaDevice::reserve_marks(std::size_t count) {
  marks_.resize(count);
}

void CudaDevice::mark(Mark at) {
  CUDA_CHECK(cudaEventRecord(event(at), compute_));
}

double CudaDevice::elapsed_s(Mark from, Mark to) {
  CUDA_CHECK(cudaEventSynchronize(event(from)));
  CUDA_CHECK(cudaEventSynchronize(event(to)));
  float elapsed_ms = 0.0F;
  CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, event(from), event(to)));
  return static_cast<double>(elapsed_ms) * 1e-3;
}

}  // namespace scalestudy::device
