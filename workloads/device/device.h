// What a rank computes on: its memory, its queue of work, and its clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "workloads/device/interface.h"
#include "workloads/device/shared_memory.h"

namespace scalestudy::device {

// A moment on a device's time line, one of a fixed pool; marking it again overwrites it.
using Mark = std::uint32_t;

// The marks around a piece of work.
struct Interval {
  Mark begin;
  Mark end;
};

// One thread calls. Work is queued in call order; on the CPU it is done when the call returns. A
// pointer from allocate() may be read by the host only where is_host_memory() is true.
class Device : public Interface {
 public:
  virtual std::string description() const = 0;  // "CPU", "NVIDIA H200"
  virtual bool is_host_memory() const = 0;
  // The memory that holds all blocks, if other ranks of the machine can map it; else nullptr.
  virtual SharedMemory* shared_memory() { return nullptr; }

  // Memory that is zeroed and aligned to 4096 bytes on the CPU, to 256 on a GPU. Throws
  // std::bad_alloc. Set-up only: may wait for the device.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* block) noexcept = 0;

  // Both copies are done on return; copy_to_host() waits for the work queued before it.
  virtual void copy_to_device(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;

  // Copies to the host what was written before a mark that is known to be past, so that work queued
  // since then need not be waited for.
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
  // Marks the moment when all work queued so far is done. On the CPU another thread may call this
  // too, for marks that no thread uses meanwhile.
  virtual void mark(Mark at) = 0;
  // Seconds between two moments that were marked since their last use; waits until both are past.
  virtual double elapsed_s(Mark from, Mark to) = 0;
};

// Zeroes `bytes` at `block`, which nobody has touched before.
using FirstTouch = std::function<void(void* block, std::size_t bytes)>;

// The CPU and its memory.
// - first_touch: runs on the threads that will use the memory, so that it lies near them; if it is
//   empty, the calling thread zeroes memory.
// - shared: gives all memory, near the calling thread; nullptr: memory that only this process has.
std::unique_ptr<Device> make_cpu_device(FirstTouch first_touch = {},
                                        std::unique_ptr<SharedMemory> shared = nullptr);

// A device that gives out addresses without memory behind them, to count what a model would take.
// Copies to it and marks do nothing; copies from it and times are defects (std::logic_error).
std::unique_ptr<Device> make_planning_device();

}  // namespace scalestudy::device
