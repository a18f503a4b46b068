// A stack of its own that a function runs on, left and gone back to at will.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ucontext.h>

namespace scalestudy::test {

class Fiber {
 public:
  static constexpr std::size_t kStackBytes = std::size_t{64} << 10U;

  // `main` never returns.
  explicit Fiber(void (*main)());
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // Runs it from where it left, until it leaves.
  void resume();
  // From within: back to who resumed it.
  void leave();

  std::uintptr_t stack_begin() const { return stack_; }
  std::uintptr_t stack_end() const { return stack_ + kStackBytes; }

 private:
  using Place = std::array<void*, 5>;  // of __builtin_setjmp, which needs no system call
  [[noreturn]] static void jump(Place& place);

  void (*main_)();
  std::uintptr_t stack_;
  std::size_t shift_bytes_;
  bool is_started_ = false;
  ucontext_t start_{};
  Place inside_{};
  Place outside_{};
};

}  // namespace scalestudy::test
