// A GPU: memory, a queue for computation, another for communication, and events as marks.
#pragma once

#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "workloads/device/device.h"

namespace scalestudy::device {

// Owns a CUDA event.
class CudaEvent {
 public:
  enum class Use {
    kTiming,
    kOrder,  // cheaper to record: the device notes no time
    kSleep,  // no time either; a thread that waits for it leaves its core to others
  };

  explicit CudaEvent(Use use = Use::kTiming);
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  CudaEvent(CudaEvent&& other) noexcept;
  CudaEvent& operator=(CudaEvent&&) = delete;
  ~CudaEvent();

  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Neither queue is the legacy default stream, which would order all others behind itself. Work on
// the compute queue is what Device describes; whoever uses the communication queue orders the two
// by events.
class CudaDevice final : public Device {
 public:
  // ordinal  in [0, cudaGetDeviceCount()); becomes the calling thread's current device.
  explicit CudaDevice(int ordinal);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice() override;

  std::string description() const override { return description_; }
  bool is_host_memory() const override { return false; }
  void* allocate(std::size_t bytes) override;
  void release(void* block) noexcept override;
  void copy_to_device(void* to, const void* from, std::size_t bytes) override;
  void copy_to_host(void* to, const void* from, std::size_t bytes) override;
  void copy_past_to_host(void* to, const void* from, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void clear(void* block, std::size_t bytes) override;
  void wait() override;
  void reserve_marks(std::size_t count) override;
  void mark(Mark at) override;
  double elapsed_s(Mark from, Mark to) override;

  int ordinal() const { return ordinal_; }
  cudaStream_t compute() const { return compute_; }
  // The queue for communication has the highest priority: a collective that waits for free
  // processors is late on every rank.
  cudaStream_t communication() const { return communication_; }
  // Another queue like communication(), for work that must not wait for that one.
  cudaStream_t communication_beside() const { return communication_beside_; }
  cudaEvent_t event(Mark mark) const { return marks_.at(mark).get(); }

 private:
  int ordinal_;
  std::string description_;
  cudaStream_t compute_ = nullptr;
  cudaStream_t communication_ = nullptr;
  cudaStream_t communication_beside_ = nullptr;
  cudaStream_t past_ = nullptr;  // for copy_past_to_host(): runs beside all other work
  std::vector<CudaEvent> marks_;
};

}  // namespace scalestudy::device
