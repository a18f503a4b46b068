// What the stand-in for libcupti.so shares with tests and with the stand-in for GPUs: records as
// CUPTI 13.0 lays them out, its clock, and how records come into it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "workloads/cuda/cupti.h"

namespace scalestudy::test {

using RecordBytes = std::vector<std::uint8_t>;
using TimePoint = std::chrono::steady_clock::time_point;

// Drift of the stand-in's clock. Much more than real clocks: ten steps of 1 ms would be 5 us off.
inline constexpr double kCuptiDrift = 5e-4;
inline constexpr std::uint64_t kCuptiZeroNs = 1'795'591'387'000'000'001;

inline std::uint64_t cupti_clock_ns(TimePoint at) {
  const std::int64_t ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
  return kCuptiZeroNs + static_cast<std::uint64_t>(ns) +
         static_cast<std::uint64_t>(static_cast<double>(ns) * kCuptiDrift);
}

// sizeof(CUpti_ActivityKernel10), CUpti_ActivityMemcpy6 and CUpti_ActivityMemset4; of any other
// kind the stand-in's own.
constexpr std::size_t record_size(std::int32_t kind) {
  switch (kind) {
    case cuda::cupti::kConcurrentKernel:
      return 216;
    case cuda::cupti::kMemcpy:
      return 96;
    case cuda::cupti::kMemset:
      return 88;
    default:
      return 24;
  }
}

template <typename Record>
RecordBytes bytes_of(const Record& record) {
  RecordBytes bytes(record_size(record.kind), 0xCD);  // what is not read here is not zero either
  std::memcpy(bytes.data(), &record, sizeof(record));
  return bytes;
}

// name  lives as long as the record is used.
inline RecordBytes kernel_record(const char* name,
                                 std::uint64_t from_ns,
                                 std::uint64_t until_ns,
                                 std::uint32_t stream) {
  cuda::cupti::Kernel record{};
  record.kind = cuda::cupti::kConcurrentKernel;
  record.start_ns = from_ns;
  record.end_ns = until_ns;
  record.context = 1;
  record.stream = stream;
  record.name = name;
  return bytes_of(record);
}

inline RecordBytes transfer_record(std::int32_t kind,
                                   std::uint8_t direction,
                                   std::uint64_t bytes,
                                   std::uint64_t from_ns,
                                   std::uint64_t until_ns,
                                   std::uint32_t stream) {
  cuda::cupti::Transfer record{};
  record.kind = kind;
  record.direction = direction;
  record.bytes = bytes;
  record.start_ns = from_ns;
  record.end_ns = until_ns;
  record.context = 1;
  record.stream = stream;
  return bytes_of(record);
}

inline RecordBytes record_of_kind(std::int32_t kind) {
  return bytes_of(cuda::cupti::Record{kind});
}

// A piece of work of the stand-in for GPUs, as CUPTI records it.
struct NotedWork {
  std::int32_t kind = 0;
  std::uint8_t direction = 0;
  const char* name = nullptr;  // of a kernel
  std::uint64_t bytes = 0;
  std::uint32_t stream = 0;
  TimePoint from;
  TimePoint until;
};

// Of the library: as if CUPTI had made that record; as if that work had been done, which is
// recorded where its kind is enabled.
using PlantRecord = void(const std::uint8_t* record, std::size_t bytes);
inline constexpr const char* kPlantRecord = "stand_in_plant";
using NoteWork = void(const NotedWork* work);
inline constexpr const char* kNoteWork = "stand_in_note";

}  // namespace scalestudy::test
