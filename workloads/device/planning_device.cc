// A device for planning: addresses without memory behind them.
#include <map>
#include <new>
#include <stdexcept>

#include <sys/mman.h>

#include "workloads/device/device.h"

namespace scalestudy::device {
namespace {

class PlanningDevice final : public Device {
 public:
  std::string description() const override { return "plan"; }
  bool is_host_memory() const override { return true; }

  void* allocate(std::size_t bytes) override {
    // The kernel gives a page of a private mapping memory when it is first touched, and with
    // MAP_NORESERVE keeps none back before that.
    const std::size_t length = bytes == 0 ? 1 : bytes;
    void* block = mmap(nullptr,
                       length,
                       PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       -1,
                       0);
    if (block == MAP_FAILED) {
      throw std::bad_alloc();
    }
    lengths_[block] = length;
    return block;
  }

  void release(void* block) noexcept override {
    const auto found = lengths_.find(block);
    if (found != lengths_.end()) {
      munmap(found->first, found->second);
      lengths_.erase(found);
    }
  }

  void copy_to_device(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) override {}
  void copy_to_host(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) override {
    refuse();
  }
  void copy(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) override {}
  void clear(void* /*block*/, std::size_t /*bytes*/) override {}
  void wait() override {}
  void reserve_marks(std::size_t /*count*/) override {}
  void mark(Mark /*at*/) override {}
  double elapsed_s(Mark /*from*/, Mark /*to*/) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw std::logic_error("a planning device computes nothing");
  }

  std::map<void*, std::size_t> lengths_;
};

}  // namespace

std::unique_ptr<Device> make_planning_device() {
  return std::make_unique<PlanningDevice>();
}

}  // namespace scalestudy::device
