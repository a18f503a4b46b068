// What a rank computes on: its memory, its queue of work, and its clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace scalestudy::device {

// A moment on a device's time line, one of a fixed pool; marking it again overwrites it.
using Mark = std::uint32_t;

// What to mark around a piece of work.
struct Interval {
  Mark begin;
  Mark end;
};

// One thread calls. Work is queued in call order; on the CPU it is done when the call returns. A
// pointer from allocate() may be read by the host only where is_host_memory() is true.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual std::string description() const = 0;  // "CPU", "NVIDIA H200"
  virtual bool is_host_memory() const = 0;

  // Zeroed, aligned to 4096 bytes on the CPU and to 256 on a GPU. Throws std::bad_alloc. Set-up
  // only: may wait for the device.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* block) noexcept = 0;

  // Both return when the copy is done; copy_to_host() waits for the work queued before it.
  virtual void copy_to_device(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;

  // The same as copy_to_host() of what was written before a mark that is known to be past: work
  // queued since then need not be waited for.
  virtual void copy_past_to_host(void* to, const void* from, std::size_t bytes) {
    copy_to_host(to, from, bytes);
  }

  // Queued: copies within device memory.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  // Queued: zeroes device memory.
  virtual void clear(void* block, std::size_t bytes) = 0;

  // Returns when all queued work is done.
  virtual void wait() = 0;

  // Makes marks 0 .. count-1 available. Set-up only.
  virtual void reserve_marks(std::size_t count) = 0;
  // The moment when all work queued so far is done. Where the device is the CPU, another thread may
  // call this too, for marks that no thread uses meanwhile.
  virtual void mark(Mark at) = 0;
  // Seconds between two moments that were marked since their last use; waits until both are past.
  virtual double elapsed_s(Mark from, Mark to) = 0;
};

// Zeroes `bytes` at `block`, which nobody has touched before.
using FirstTouch = std::function<void(void* block, std::size_t bytes)>;

//   first_touch  by the threads that will use the memory, so that it comes to lie near them; by the
//                calling thread where it is empty.
std::unique_ptr<Device> make_cpu_device(FirstTouch first_touch = {});

// Gives out addresses without memory behind them, so that what a model would take can be counted.
// Copies to it and marks do nothing; copies from it and times are defects (std::logic_error).
std::unique_ptr<Device> make_planning_device();

}  // namespace scalestudy::device
