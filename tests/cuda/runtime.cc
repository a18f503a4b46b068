// The calls of the CUDA runtime that the backend makes, on host memory, with what the real ones
// demand of their arguments. Work is done when the call returns, but for a send of NCCL.
//
//   CUDA_VISIBLE_DEVICES   "0,1,2": there are three GPUs; not set: two
//   SCALESTUDY_FAKE_ERROR  set: the first collective never ends, as when another rank is gone; the
//                          communicator reports an error, and aborting it lets the queue go on
//   SCALESTUDY_CUPTI       the stand-in for CUPTI, which is told what is done once it is loaded
//   SCALESTUDY_FULL_GPU    cublas, cudnn or nccl: that library finds no memory
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "tests/cuda/cupti.h"
#include "tests/cuda/fake_gpu.h"

using Work = std::function<void()>;  // empty once it is done

struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  std::shared_ptr<Work> behind;
};
struct CUstream_st {
  std::shared_ptr<Work> last;
  std::uint32_t number = 0;  // CUPTI's
};

namespace scalestudy::test {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of the device
std::atomic<bool> is_stuck = false;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): likewise
std::chrono::steady_clock::duration played_time{0};

namespace {

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): likewise
std::mutex reason_mutex;
std::string last_reason;
std::mutex work_mutex;  // a watchdog's thread records events too
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void wait_for_queue() {
  while (is_stuck) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::shared_ptr<Work> last_of(cudaStream_t stream) {
  const std::lock_guard lock(work_mutex);
  return stream->last;
}

void finish(const std::shared_ptr<Work>& work) {
  if (work != nullptr && *work) {
    std::exchange(*work, nullptr)();
  }
}

}  // namespace

void go_on_with(cudaStream_t stream, std::function<void()> finish) {
  finish_queue(stream);
  const std::lock_guard lock(work_mutex);
  stream->last = std::make_shared<Work>(std::move(finish));
}

void finish_queue(cudaStream_t stream) {
  finish(last_of(stream));
}

void note_work(std::int32_t kind,
               std::uint8_t direction,
               std::size_t bytes,
               cudaStream_t stream,
               std::chrono::steady_clock::time_point from) {
  const char* const path = environment("SCALESTUDY_CUPTI");
  void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    return;
  }
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
  auto* const note = reinterpret_cast<NoteWork*>(dlsym(library, kNoteWork));
  const NotedWork work{.kind = kind,
                       .direction = direction,
                       .name = "_ZN10scalestudy4test6kernelEv",
                       .bytes = bytes,
                       .stream = stream->number,
                       .from = from,
                       .until = std::chrono::steady_clock::now()};
  note(&work);
}

void set_reason(const std::string& reason) {
  const std::lock_guard lock(reason_mutex);
  last_reason = reason;
}

std::string reason() {
  const std::lock_guard lock(reason_mutex);
  return last_reason;
}

const char* environment(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread changes it
}

bool is_full(std::string_view library) {
  const char* const name = environment("SCALESTUDY_FULL_GPU");
  return name != nullptr && library == name;
}

bool is_known(cudaStream_t stream) {
  return stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

}  // namespace scalestudy::test

using namespace scalestudy;
using test::is_known;
using test::is_on_device;

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): theirs
extern "C" {

cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    default:
      return "an error of the stand-in";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  static thread_local std::string text;
  text = "error " + std::to_string(error) + " of the stand-in: " + test::reason();
  return text.c_str();
}

cudaError_t cudaGetDeviceCount(int* count) {
  const char* const visible = test::environment("CUDA_VISIBLE_DEVICES");
  const std::string list = visible == nullptr ? "0,1" : visible;
  *count = 1 + static_cast<int>(std::count(list.begin(), list.end(), ','));
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int /*device*/) {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  constexpr char name[] = "Fake GPU";
  *properties = {};
  std::memcpy(properties->name, name, sizeof(name));
  properties->totalGlobalMem = test::kMemoryBytes;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int /*length*/, int device) {
  constexpr char first[] = "0000:00:00.0";
  std::memcpy(id, first, sizeof(first));
  id[6] = static_cast<char>('0' + device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr name, int /*device*/) {
  const std::map<cudaDeviceAttr, int> values = {{cudaDevAttrMemoryClockRate, 1000000},  // kHz
                                                {cudaDevAttrGlobalMemoryBusWidth, 1024},
                                                {cudaDevAttrComputeCapabilityMajor, 9},
                                                {cudaDevAttrMultiProcessorCount, 7}};
  const auto found = values.find(name);
  *value = found == values.end() ? 0 : found->second;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int from, int to) {
  *can = from < to ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = 0;
  *highest = -1;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/, int /*level*/) {
  static std::atomic<std::uint32_t> count = 0;
  *stream = new CUstream_st{nullptr, ++count};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  test::wait_for_queue();
  if (!is_known(stream)) {
    return cudaErrorInvalidResourceHandle;
  }
  test::finish_queue(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (!is_known(stream) || event == nullptr || flags != 0) {
    return cudaErrorInvalidValue;
  }
  test::finish(event->behind);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int /*flags*/) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->at = std::chrono::steady_clock::now() + test::played_time;
  if (!is_known(stream)) {
    return cudaErrorInvalidResourceHandle;
  }
  event->behind = test::last_of(stream);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  test::wait_for_queue();
  test::finish(event->behind);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t /*event*/) {
  return test::is_stuck ? cudaErrorNotReady : cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* elapsed_ms, cudaEvent_t from, cudaEvent_t to) {
  *elapsed_ms = std::chrono::duration<float, std::milli>(to->at - from->at).count();
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** block, std::size_t bytes) {
  *block = test::allocate(bytes);
  return *block == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFree(void* block) {
  return test::release(block) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaMallocHost(void** block, std::size_t bytes) {
  *block = std::malloc(bytes);  // NOLINT(cppcoreguidelines-no-malloc): freed by cudaFreeHost
  return *block == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFreeHost(void* block) {
  std::free(block);  // NOLINT(cppcoreguidelines-no-malloc): taken by cudaMallocHost
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* block, int value, std::size_t bytes, cudaStream_t stream) {
  if (!is_on_device(block, bytes) || !is_known(stream)) {
    return cudaErrorInvalidValue;
  }
  const auto from = std::chrono::steady_clock::now();
  if (value == 0) {
    test::clear(block, bytes);
  } else {
    std::memset(block, value, bytes);
  }
  test::note_work(cuda::cupti::kMemset, 0, bytes, stream, from);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(
    void* to, const void* source, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const bool is_to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool is_from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (is_on_device(to, bytes) != is_to_device || is_on_device(source, bytes) != is_from_device ||
      !is_known(stream)) {
    return cudaErrorInvalidValue;
  }
  const auto from = std::chrono::steady_clock::now();
  if (const char* const ms = test::environment("SCALESTUDY_SLOW_GPU_MS");
      ms != nullptr && !is_to_device) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::strtol(ms, nullptr, 10)));
  }
  if (bytes > 0) {  // of nothing, both may be null
    std::memmove(to, source, bytes);
  }
  const std::uint8_t direction = !is_to_device ? 2 : is_from_device ? 8 : 1;
  test::note_work(cuda::cupti::kMemcpy, direction, bytes, stream, from);
  return cudaSuccess;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
