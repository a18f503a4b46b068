#include "tests/cuda/execution.h"

#include <array>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include <cuda_runtime.h>

#include "tests/cuda/fake_gpu.h"
#include "tests/cuda/fiber.h"
#include "workloads/cuda/cupti.h"

namespace scalestudy::test {

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): of the device
thread_local const Running* running = nullptr;
Position position;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

namespace {

using Body = void (*)(const void*);

constexpr unsigned kWarp = 32;
constexpr unsigned kMostThreads = 1024;
enum class State { kNew, kReady, kAtBarrier, kAtShuffle, kDone };

struct Thread {
  State state = State::kNew;
  Fiber* fiber = nullptr;
  const void* call = nullptr;  // of the barrier it waits at
  unsigned mask = 0;           // of the shuffle it waits in
  unsigned source = 0;
  std::uint64_t value = 0;
};

std::string name_of(const uint3& index) {
  return '(' + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + ')';
}

std::vector<uint3> indices_of(const dim3& size) {
  std::vector<uint3> indices;
  for (unsigned z = 0; z < size.z; ++z) {
    for (unsigned y = 0; y < size.y; ++y) {
      for (unsigned x = 0; x < size.x; ++x) {
        indices.push_back({x, y, z});
      }
    }
  }
  return indices;
}

std::uint32_t next_random(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  return state >> 8U;
}

// The order in which blocks, or the threads of one, get their turns: theirs, its reverse, and a
// random one, in turn.
std::vector<unsigned> make_order(std::size_t count, std::uint32_t number) {
  std::vector<unsigned> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    order[i] = static_cast<unsigned>(number % 3 == 1 ? count - 1 - i : i);
  }
  if (number % 3 == 2) {
    std::uint32_t state = number;
    for (std::size_t i = count; i > 1; --i) {
      std::swap(order[i - 1], order[next_random(state) % i]);
    }
  }
  return order;
}

class Execution {
 public:
  cudaError_t run(const Launch& launch, Body thread);

  void wait_at_barrier(const void* call);
  std::uint64_t exchange(unsigned mask, std::uint64_t value, unsigned offset);
  [[noreturn]] void fail(const std::string& what);

 private:
  static void fiber_main();
  void run_block();
  void run_new_threads();
  bool release_barrier();
  void try_release_shuffle(std::size_t first, unsigned mask);
  std::string describe_stop() const;
  void go_to(std::size_t thread);
  void wait(State state);
  void resume(Fiber& fiber);
  Fiber& idle_fiber();

  std::vector<Thread> threads_;
  std::vector<uint3> indices_;        // of the threads in their block
  std::vector<unsigned> at_shuffle_;  // of each warp the lanes that wait in a shuffle
  std::vector<unsigned> order_;
  std::size_t next_new_ = 0;  // in order_
  std::deque<std::size_t> ready_;
  std::size_t done_ = 0;
  std::size_t current_ = 0;
  Body body_ = nullptr;
  const void* call_ = nullptr;
  std::string failure_;

  Running running_;
  std::uint32_t launches_ = 0;

  std::deque<Fiber> fibers_;
  std::vector<Fiber*> idle_;
  Fiber* at_hand_ = nullptr;
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a thread's own
thread_local Execution* execution = nullptr;

void Execution::fiber_main() {
  for (;;) {
    execution->run_new_threads();
    Fiber& own = *execution->at_hand_;
    execution->idle_.push_back(&own);
    own.leave();
  }
}

// In a fiber, until none are left. One that waits is gone on with in a fiber of its own: this one.
void Execution::run_new_threads() {
  while (next_new_ < order_.size()) {
    Fiber* const fiber = at_hand_;
    go_to(order_[next_new_++]);
    threads_[current_].fiber = fiber;
    running = &running_;
    body_(call_);
    running = nullptr;
    threads_[current_].state = State::kDone;
    ++done_;
  }
}

void Execution::go_to(std::size_t thread) {
  current_ = thread;
  position.thread = indices_[thread];
  running_.thread = static_cast<std::uint16_t>(thread);
  running_.stack_begin = at_hand_->stack_begin();
  running_.stack_end = at_hand_->stack_end();
}

Fiber& Execution::idle_fiber() {
  if (idle_.empty()) {
    return fibers_.emplace_back(fiber_main);
  }
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  return fiber;
}

void Execution::resume(Fiber& fiber) {
  at_hand_ = &fiber;
  fiber.resume();
}

void Execution::wait(State state) {
  const std::size_t own = current_;
  threads_[own].state = state;
  threads_[own].fiber->leave();
  go_to(own);
  running = &running_;
}

void Execution::fail(const std::string& what) {
  running = nullptr;
  failure_ =
      "thread " + name_of(position.thread) + " of block " + name_of(position.block) + ' ' + what;
  at_hand_->leave();
  std::terminate();  // a launch that failed does not go on
}

void Execution::wait_at_barrier(const void* call) {
  running = nullptr;
  threads_[current_].call = call;
  wait(State::kAtBarrier);
}

// All who have not ended are there, nobody has ended, and it is one barrier.
bool Execution::release_barrier() {
  for (const Thread& thread : threads_) {
    if (thread.state != State::kAtBarrier || thread.call != threads_.front().call) {
      return false;
    }
  }
  ++running_.interval;
  for (const unsigned thread : order_) {
    threads_[thread].state = State::kReady;
    ready_.push_back(thread);
  }
  return true;
}

std::uint64_t Execution::exchange(unsigned mask, std::uint64_t value, unsigned offset) {
  running = nullptr;
  const auto lane = static_cast<unsigned>(current_ % kWarp);
  const unsigned source = lane ^ offset;
  if ((mask >> lane & 1U) == 0) {
    fail("takes part in a shuffle whose mask does not name it");
  }
  if (source >= kWarp || (mask >> source & 1U) == 0) {
    fail("asks a lane that the shuffle's mask does not name");
  }
  Thread& own = threads_[current_];
  own.mask = mask;
  own.source = source;
  own.value = value;
  own.state = State::kAtShuffle;
  unsigned& waiting = at_shuffle_[current_ / kWarp];
  waiting |= 1U << lane;
  if ((waiting & mask) == mask) {
    try_release_shuffle(current_ - lane, mask);
  }
  wait(own.state);
  return own.value;
}

// All lanes of the mask wait in a shuffle: hands the values over if each gave this mask.
void Execution::try_release_shuffle(std::size_t first, unsigned mask) {
  std::array<std::uint64_t, kWarp> values;  // NOLINT(cppcoreguidelines-pro-type-member-init): hot
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    if ((mask >> lane & 1U) == 0) {
      continue;
    }
    if (threads_[first + lane].mask != mask) {
      return;
    }
    values.at(lane) = threads_[first + lane].value;
  }
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    if ((mask >> lane & 1U) != 0) {
      Thread& thread = threads_[first + lane];
      thread.value = values.at(thread.source);
      thread.state = State::kReady;
      ready_.push_back(first + lane);
    }
  }
  at_shuffle_[first / kWarp] &= ~mask;
}

std::string Execution::describe_stop() const {
  std::size_t at_barrier = 0;
  std::size_t at_shuffle = 0;
  const Thread* waiting = nullptr;
  for (const Thread& thread : threads_) {
    at_barrier += thread.state == State::kAtBarrier ? 1 : 0;
    at_shuffle += thread.state == State::kAtShuffle ? 1 : 0;
    waiting = thread.state == State::kAtShuffle ? &thread : waiting;
  }
  std::string text = "block " + name_of(position.block) + " stops: of its " +
                     std::to_string(threads_.size()) + " threads " + std::to_string(done_) +
                     " have ended, " + std::to_string(at_barrier) + " wait at a barrier and " +
                     std::to_string(at_shuffle) + " in a shuffle";
  if (waiting != nullptr) {
    std::array<char, 32> mask{};
    std::snprintf(mask.data(), mask.size(), " with mask 0x%08X", waiting->mask);
    text += mask.data();
  }
  return text;
}

void Execution::run_block() {
  threads_.assign(threads_.size(), {});
  at_shuffle_.assign(threads_.size() / kWarp + 1, 0);
  ready_.clear();
  next_new_ = 0;
  done_ = 0;
  ++running_.block;
  running_.interval = 0;
  while (failure_.empty() && done_ < threads_.size()) {
    if (next_new_ < order_.size()) {
      resume(idle_fiber());
    } else if (!ready_.empty()) {
      Thread& next = threads_[ready_.front()];
      ready_.pop_front();
      resume(*next.fiber);
    } else if (!release_barrier()) {
      failure_ = describe_stop();
    }
  }
}

cudaError_t Execution::run(const Launch& launch, Body thread) {
  const auto call = reinterpret_cast<std::uintptr_t>(launch.call);
  body_ = thread;
  call_ = launch.call;
  failure_.clear();
  running_.call_begin = call;
  running_.call_end = call + launch.call_bytes;
  running_.first_block = running_.block + 1;
  position.block_size = launch.threads;
  position.grid_size = launch.blocks;
  indices_ = indices_of(launch.threads);
  threads_.resize(indices_.size());
  order_ = make_order(threads_.size(), launches_);
  const dim3& grid = launch.blocks;
  for (const unsigned block : make_order(std::size_t{grid.x} * grid.y * grid.z, launches_ / 3)) {
    position.block = {block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y};
    run_block();
    if (!failure_.empty()) {
      fibers_.clear();  // some stand in the middle of a thread
      idle_.clear();
      set_reason(failure_);
      return cudaErrorLaunchFailure;
    }
  }
  ++launches_;
  return cudaSuccess;
}

bool is_valid(const Launch& launch) {
  const dim3& blocks = launch.blocks;
  const dim3& threads = launch.threads;
  constexpr unsigned most_blocks = 0x7FFFFFFF;
  constexpr unsigned most_blocks_down = 65535;
  return blocks.x >= 1 && blocks.x <= most_blocks && blocks.y >= 1 &&
         blocks.y <= most_blocks_down && blocks.z >= 1 && blocks.z <= most_blocks_down &&
         threads.x >= 1 && threads.y >= 1 && threads.z >= 1 && threads.z <= 64 &&
         std::size_t{threads.x} * threads.y * threads.z <= kMostThreads;
}

}  // namespace

cudaError_t execute(const Launch& launch, Body thread) {
  static std::mutex mutex;
  static Execution all;
  if (!is_known(launch.stream)) {
    return cudaErrorInvalidResourceHandle;
  }
  if (!is_valid(launch) || launch.shared_bytes != 0) {
    set_reason(launch.shared_bytes != 0 ? "the stand-in has no dynamic shared memory"
                                        : "no GPU takes a grid or block of that size");
    return cudaErrorInvalidConfiguration;
  }
  const std::lock_guard lock(mutex);
  execution = &all;
  const auto from = std::chrono::steady_clock::now();
  const cudaError_t status = all.run(launch, thread);
  note_work(cuda::cupti::kConcurrentKernel, 0, 0, launch.stream, from);
  execution = nullptr;
  return status;
}

void fail(const std::string& what) {
  execution->fail(what);
}

std::uint64_t exchange_xor(unsigned mask, std::uint64_t bits, unsigned offset) {
  return execution->exchange(mask, bits, offset);
}

}  // namespace scalestudy::test

__attribute__((noinline)) void __syncthreads() {
  scalestudy::test::execution->wait_at_barrier(__builtin_return_address(0));
}
