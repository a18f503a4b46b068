#include "workloads/rank/sleeper.h"

#include <cstdint>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace scalestudy::rank {
namespace {

// struct sched_attr of the kernel, which its own header cannot name beside the C library's.
// source: linux/sched/types.h, SCHED_ATTR_SIZE_VER0.
struct SchedulingAttributes {
  std::uint32_t size = 48;
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

}  // namespace

void sharpen_sleeps() {
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);  // ns
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) == 0) {
    attributes.runtime_ns = 100'000;  // the shortest slice; older kernels take no notice of it
    syscall(SYS_sched_setattr, 0, &attributes, 0);
  }
}

}  // namespace scalestudy::rank
