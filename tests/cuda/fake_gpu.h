// What the parts of the stand-in for GPUs share: memory, queues and why a call failed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <cuda_runtime_api.h>

namespace scalestudy::test {

inline constexpr std::size_t kMemoryBytes = std::size_t{16} << 30U;  // that a GPU claims to have

// Addresses [begin, end) of one allocation; both 0: none.
struct Extent {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// Device memory has addresses of its own and exact borders. Allocations are aligned to 256 bytes
// and to no more, which is what the real ones promise.
void* allocate(std::size_t bytes);  // nullptr when there is no room
bool release(const void* block);    // false when no allocation begins there
void clear(void* block, std::size_t bytes);

bool is_device_address(std::uintptr_t address);
// The borders of the allocation on whose pages the device address lies. No lock: memory is not
// given away while a kernel runs.
Extent extent_at(std::uintptr_t device_address);
// Whether the whole range lies within one allocation.
bool is_on_device(const void* memory, std::size_t bytes);

bool is_known(cudaStream_t stream);

// By how much events are ahead of the host's clock: the time of work that a test plays.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of the device
extern std::chrono::steady_clock::duration played_time;

// The queue goes on with something that lasts until finish() has returned, which is called once: by
// what waits for the queue or for an event behind it. Main thread only.
void go_on_with(cudaStream_t stream, std::function<void()> finish);
void finish_queue(cudaStream_t stream);

// Tells the stand-in for CUPTI, where a trace has loaded it, of work on a queue that began at
// `from` and ends now.
//   kind       as CUPTI counts them (workloads/cuda/cupti.h)
//   direction  of a copy
void note_work(std::int32_t kind,
               std::uint8_t direction,
               std::size_t bytes,
               cudaStream_t stream,
               std::chrono::steady_clock::time_point from);

// Notes why a call fails; cudaGetErrorString and so on add it to their words.
void set_reason(const std::string& reason);
std::string reason();

// Calls return when their work is done, but for go_on_with(), unless a lost rank is played: then
// the queue stands still.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of the device
extern std::atomic<bool> is_stuck;

const char* environment(const char* name);

// Whether that library (cublas, cudnn or nccl) is to find no memory on the GPU.
bool is_full(std::string_view library);

}  // namespace scalestudy::test
