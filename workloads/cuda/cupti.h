// The part of CUPTI's activity API that a trace needs, declared by hand from its reference: neither
// building nor measuring takes CUPTI, and records begin alike in every version that is known here.
#pragma once

#include <cstddef>
#include <cstdint>

// Where CUPTI's own headers are installed, tests/cuda/cupti_layout.cc compares with all versions.
namespace scalestudy::cuda::cupti {

// The newest CUDA whose records are known to begin as below.
inline constexpr std::uint32_t kNewestMajor = 13;

inline constexpr int kSuccess = 0;
inline constexpr int kMaxLimitReached = 12;  // no more records in a buffer
inline constexpr std::uint32_t kFlushForced = 1;

// CUpti_ActivityKind
inline constexpr std::int32_t kMemcpy = 1;
inline constexpr std::int32_t kMemset = 2;
inline constexpr std::int32_t kConcurrentKernel = 10;

// The start of every record, CUpti_Activity.
struct Record {
  std::int32_t kind;
};

// CUpti_ActivityKernel3 to 10.
struct Kernel {
  std::int32_t kind;
  std::int32_t unused[3];
  std::uint64_t start_ns;  // 0: not known; likewise below
  std::uint64_t end_ns;
  std::uint64_t completed_ns;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t unused_too[13];
  const char* name;  // mangled; lives as long as the library
};

// CUpti_ActivityMemcpy to 6 and CUpti_ActivityMemset to 4.
struct Transfer {
  std::int32_t kind;
  std::uint8_t direction;  // of a copy: CUpti_ActivityMemcpyKind
  std::uint8_t unused[3];
  std::uint64_t bytes;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
};

// Results are CUptiResult, contexts CUcontext.
using GetVersion = int(std::uint32_t* version);
using GetResultString = int(int result, const char** text);
using GetTimestamp = int(std::uint64_t* nanoseconds);
using RequestBuffer = void(std::uint8_t** buffer, std::size_t* size, std::size_t* record_limit);
using BufferCompleted = void(void* context,
                             std::uint32_t stream,
                             std::uint8_t* buffer,
                             std::size_t size,
                             std::size_t valid_size);
using RegisterCallbacks = int(RequestBuffer* request, BufferCompleted* completed);
using Enable = int(std::int32_t kind);
using FlushAll = int(std::uint32_t flags);
using GetNextRecord = int(std::uint8_t* buffer, std::size_t valid_size, Record** record);
using GetDropped = int(void* context, std::uint32_t stream, std::size_t* dropped);

}  // namespace scalestudy::cuda::cupti
