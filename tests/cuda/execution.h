// Executes kernels on the host as a GPU would be allowed to: one block after another, each thread
// until it waits for others, in an order that differs from launch to launch and not from run to
// run. Kernels are compiled with the compiler's calls at every access of memory
// (-fsanitize=thread); accesses.cc answers them.
//
// A launch fails, and says which thread did what, when
// - a thread touches memory that is neither device memory nor shared nor its own, or misaligned;
// - two threads touch the same element, one of them writes, and no barrier is between (blocks have
//   none between them);
// - shared memory is read that no thread of the block has written;
// - a barrier is not reached by all threads of a block;
// - a shuffle's mask does not name the lanes that take part in it.
// What it does not show: how memory behaves without barriers (fences, volatile), what runs at the
// same time, and speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <cuda_runtime_api.h>

namespace scalestudy::test {

// Where the running thread is; what threadIdx and so on read.
struct Position {
  uint3 thread{};
  uint3 block{};
  dim3 block_size;
  dim3 grid_size;
};
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of the device
extern Position position;

struct Launch {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  const void* call = nullptr;  // the kernel and its parameters, which threads may read
  std::size_t call_bytes = 0;
};

// Calls thread(launch.call) for every thread of the grid. cudaErrorInvalidConfiguration for a grid
// that no GPU takes, cudaErrorLaunchFailure for what is listed above; reason() says more.
cudaError_t execute(const Launch& launch, void (*thread)(const void*));

// What kernels call.
std::uint64_t exchange_xor(unsigned mask, std::uint64_t bits, unsigned offset);
int exchange_atomically(int* at, int value);

// What the access checks know of the thread that runs.
struct Running {
  std::uint32_t first_block = 0;  // of this launch; blocks of all launches are counted
  std::uint32_t block = 0;
  std::uint16_t thread = 0;
  std::uint16_t interval = 0;  // barriers that the block has passed
  std::uintptr_t stack_begin = 0;
  std::uintptr_t stack_end = 0;
  std::uintptr_t call_begin = 0;
  std::uintptr_t call_end = 0;
};
// The thread at hand, nullptr outside of kernels' own code: what it calls may be compiled with
// calls at every access, too.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a thread's own
extern thread_local const Running* running __attribute__((tls_model("initial-exec")));
// Ends the launch from within a kernel.
[[noreturn]] void fail(const std::string& what);

}  // namespace scalestudy::test
