// A file of its own: what calls resume() and leave() must not know which registers they spare.
#include "tests/cuda/fiber.h"

#include <new>

#include <sys/mman.h>

// NOLINTBEGIN(performance-no-int-to-ptr): addresses are what this is about
namespace scalestudy::test {

Fiber::Fiber(void (*main)()) : main_(main) {
  void* const memory = mmap(nullptr,
                            kStackBytes,
                            PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                            -1,
                            0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  stack_ = reinterpret_cast<std::uintptr_t>(memory);
  // Stacks that all begin at the same place of a page would share a few lines of the cache.
  static std::size_t count = 0;
  shift_bytes_ = count++ % 128 * 192;
}

Fiber::~Fiber() {
  munmap(reinterpret_cast<void*>(stack_), kStackBytes);
}

// Not in the function that set the other place: the compiler would drop its return from there.
__attribute__((noinline)) void Fiber::jump(Place& place) {
  __builtin_longjmp(place.data(), 1);
}

__attribute__((noinline)) void Fiber::resume() {
  if (__builtin_setjmp(outside_.data()) == 0) {
    if (is_started_) {
      jump(inside_);
    }
    is_started_ = true;
    getcontext(&start_);
    start_.uc_stack.ss_sp = reinterpret_cast<void*>(stack_);
    start_.uc_stack.ss_size = kStackBytes - shift_bytes_;
    makecontext(&start_, main_, 0);
    setcontext(&start_);
  }
}

__attribute__((noinline)) void Fiber::leave() {
  if (__builtin_setjmp(inside_.data()) == 0) {
    jump(outside_);
  }
}

}  // namespace scalestudy::test
// NOLINTEND(performance-no-int-to-ptr)
