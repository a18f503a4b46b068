// Stands for libcupti.so: hands over the records that a test plants and those that the stand-in for
// GPUs notes, with what the real one demands of buffers. Its clock runs faster than the system's by
// kDrift, and from a zero of its own.
//
//   SCALESTUDY_CUPTI_LOADED   a file that is made when the library is loaded
//   SCALESTUDY_CUPTI_VERSION  as if it were of that version
//   SCALESTUDY_CUPTI_FAILS    a call that fails with CUPTI_ERROR_UNKNOWN: Enable or FlushAll
#include "tests/cuda/cupti.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

using namespace scalestudy;
using test::RecordBytes;

namespace {

constexpr int kUnknownError = 999;
constexpr int kInvalidParameter = 1;

const char* environment(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread changes it
}

int result_of(std::string_view call) {
  const char* const failing = environment("SCALESTUDY_CUPTI_FAILS");
  return failing != nullptr && call == failing ? kUnknownError : cuda::cupti::kSuccess;
}

struct Buffer {
  std::uint8_t* begin = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
};

struct Cupti {
  std::mutex mutex;
  cuda::cupti::RequestBuffer* request = nullptr;
  cuda::cupti::BufferCompleted* completed = nullptr;
  std::vector<std::int32_t> enabled;
  Buffer buffer;
  std::size_t dropped = 0;
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of the library
Cupti all;

__attribute__((constructor)) void note_loading() {
  if (const char* const path = environment("SCALESTUDY_CUPTI_LOADED")) {
    std::ofstream(path) << "loaded";
  }
}

void complete() {
  const Buffer buffer = std::exchange(all.buffer, {});
  if (buffer.begin != nullptr) {
    all.completed(nullptr, 0, buffer.begin, buffer.size, buffer.used);
  }
}

void add(const RecordBytes& record) {
  if (all.buffer.begin != nullptr && all.buffer.used + record.size() > all.buffer.size) {
    complete();
  }
  if (all.buffer.begin == nullptr) {
    std::size_t limit = 0;
    all.request(&all.buffer.begin, &all.buffer.size, &limit);
  }
  if (all.buffer.begin == nullptr || all.buffer.size < record.size()) {
    ++all.dropped;
    return;
  }
  std::memcpy(all.buffer.begin + all.buffer.used, record.data(), record.size());
  all.buffer.used += record.size();
}

bool is_enabled(std::int32_t kind) {
  return std::find(all.enabled.begin(), all.enabled.end(), kind) != all.enabled.end();
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): CUPTI's names
extern "C" {

void stand_in_plant(const std::uint8_t* record, std::size_t bytes) {
  const std::lock_guard lock(all.mutex);
  add(RecordBytes(record, record + bytes));
}

void stand_in_note(const test::NotedWork* work) {
  const std::lock_guard lock(all.mutex);
  const std::uint64_t from_ns = test::cupti_clock_ns(work->from);
  const std::uint64_t until_ns = test::cupti_clock_ns(work->until);
  if (!is_enabled(work->kind)) {
    return;
  }
  if (work->kind == cuda::cupti::kConcurrentKernel) {
    add(test::kernel_record(work->name, from_ns, until_ns, work->stream));
  } else {
    add(test::transfer_record(
        work->kind, work->direction, work->bytes, from_ns, until_ns, work->stream));
  }
}

int cuptiGetVersion(std::uint32_t* version) {
  const char* const asked = environment("SCALESTUDY_CUPTI_VERSION");
  *version =
      asked != nullptr ? static_cast<std::uint32_t>(std::strtoul(asked, nullptr, 10)) : 130001;
  return cuda::cupti::kSuccess;
}

int cuptiGetResultString(int result, const char** text) {
  *text = result == kUnknownError ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_OF_THE_STAND_IN";
  return cuda::cupti::kSuccess;
}

int cuptiGetTimestamp(std::uint64_t* nanoseconds) {
  *nanoseconds = test::cupti_clock_ns(std::chrono::steady_clock::now());
  return cuda::cupti::kSuccess;
}

int cuptiActivityRegisterCallbacks(cuda::cupti::RequestBuffer* request,
                                   cuda::cupti::BufferCompleted* completed) {
  all.request = request;
  all.completed = completed;
  return cuda::cupti::kSuccess;
}

int cuptiActivityEnable(std::int32_t kind) {
  const std::lock_guard lock(all.mutex);
  if (all.request == nullptr) {
    return kInvalidParameter;
  }
  all.enabled.push_back(kind);
  return result_of("Enable");
}

int cuptiActivityDisable(std::int32_t kind) {
  const std::lock_guard lock(all.mutex);
  std::erase(all.enabled, kind);
  return cuda::cupti::kSuccess;
}

int cuptiActivityFlushAll(std::uint32_t flags) {
  const std::lock_guard lock(all.mutex);
  if (flags != cuda::cupti::kFlushForced) {
    return kInvalidParameter;  // the last buffer would stay here
  }
  complete();
  return result_of("FlushAll");
}

int cuptiActivityGetNextRecord(std::uint8_t* buffer,
                               std::size_t valid_size,
                               cuda::cupti::Record** record) {
  auto* at = reinterpret_cast<std::uint8_t*>(*record);
  at = at == nullptr ? buffer : at + test::record_size((*record)->kind);
  if (at >= buffer + valid_size) {
    return cuda::cupti::kMaxLimitReached;
  }
  *record = reinterpret_cast<cuda::cupti::Record*>(at);
  return cuda::cupti::kSuccess;
}

int cuptiActivityGetNumDroppedRecords(void* /*context*/,
                                      std::uint32_t /*stream*/,
                                      std::size_t* dropped) {
  *dropped = std::exchange(all.dropped, 0);
  return cuda::cupti::kSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
