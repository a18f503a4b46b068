// The CPU: memory of the host, work done when a call returns.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include "workloads/device/device.h"

namespace scalestudy::device {
namespace {

constexpr std::size_t kAlignment = 4096;
constexpr std::size_t kHugePage = std::size_t{1} << 21U;

class CpuDevice final : public Device {
 public:
  CpuDevice(FirstTouch first_touch, std::unique_ptr<SharedMemory> shared)
      : first_touch_(std::move(first_touch)), shared_(std::move(shared)) {}

  std::string description() const override { return "CPU"; }
  bool is_host_memory() const override { return true; }

  SharedMemory* shared_memory() override { return shared_.get(); }

  void* allocate(std::size_t bytes) override {
    void* const block = shared_ == nullptr ? allocate_own(bytes) : shared_->allocate(bytes);
    // Also touches every page: a page fault belongs to set-up, not to the first step.
    if (first_touch_) {
      first_touch_(block, bytes);
    } else {
      std::memset(block, 0, bytes);
    }
    return block;
  }
  void release(void* block) noexcept override {
    if (shared_ == nullptr) {
      std::free(block);  // NOLINT(cppcoreguidelines-no-malloc): C++ has no aligned_alloc of its own
    } else {
      shared_->release(block);
    }
  }

  void copy_to_device(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes);
  }

  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) {  // of nothing the pointers may be null, which memcpy() does not allow
      std::memcpy(to, from, bytes);
    }
  }
  void clear(void* block, std::size_t bytes) override { std::memset(block, 0, bytes); }

  void wait() override {}

  void reserve_marks(std::size_t count) override { marks_.resize(count); }
  void mark(Mark at) override { marks_[at] = Clock::now(); }
  double elapsed_s(Mark from, Mark to) override {
    return std::chrono::duration<double>(marks_[to] - marks_[from]).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  static void* allocate_own(std::size_t bytes) {
    const std::size_t alignment = bytes < kHugePage ? kAlignment : kHugePage;
    if (bytes > std::numeric_limits<std::size_t>::max() - alignment) {
      throw std::bad_alloc();
    }
    // A page for nothing too, so that every buffer has an address of its own.
    const std::size_t pages = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment;
    void* block = std::aligned_alloc(alignment, pages * alignment);
    if (block == nullptr) {
      throw std::bad_alloc();
    }
    // Of a buffer that fills huge pages only those: 3 % of the step of a large model, and a third
    // of MPI's time for large messages, which it pins page by page. Where the system has none, or
    // none left, it uses small ones by itself.
    madvise(block, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    return block;
  }

  FirstTouch first_touch_;
  std::unique_ptr<SharedMemory> shared_;  // nullptr: memory that only this process has
  std::vector<Clock::time_point> marks_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(FirstTouch first_touch,
                                        std::unique_ptr<SharedMemory> shared) {
  return std::make_unique<CpuDevice>(std::move(first_touch), std::move(shared));
}

}  // namespace scalestudy::device
