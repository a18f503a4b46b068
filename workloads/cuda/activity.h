// What a process's GPUs did and when: kernels, copies and memsets, as CUPTI tells it, for a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy::cuda {

// 13 of "13.0", the runtime's version, which CUPTI is of too. Throws WorkloadError (unsupported)
// with the text where it begins with no number.
int major_version(const std::string& version);

struct Activity {
  std::size_t name = 0;  // in Activities::names
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;                           // CUPTI's number of it
  std::uint64_t from_ns = 0;                          // by CUPTI's clock
  std::uint64_t until_ns = 0;                         // >= from_ns
  std::optional<std::uint64_t> bytes = std::nullopt;  // of copies and memsets
};

struct Activities {
  std::vector<std::string> names;  // "ncclDevKernel_AllReduce(...)", "memcpy device to host"
  std::vector<Activity> all;       // in order of their begin
  // What is not among them:
  std::size_t dropped = 0;  // by CUPTI, which had no room left
  std::size_t unknown = 0;  // records of kinds that were not asked for
  std::size_t untimed = 0;  // records whose times CUPTI could not take
  std::string incomplete;   // the call that failed when CUPTI was to hand them over, and why; or ""
};

// Records from its construction to stop(). One at a time in a process, main thread only.
//
// Never made where steps are measured: the library, which nothing links, is loaded by the
// constructor alone and stays in the process.
class ActivityRecorder {
 public:
  // Of the host's memory, taken as it fills; a record of a kernel takes some 200 bytes.
  struct Room {
    std::size_t buffer_bytes = std::size_t{4} << 20U;
    std::size_t buffers = 16;
  };

  // Loads libcupti.so of that major version of CUDA from the toolkit of $CUDA_HOME (not set:
  // /usr/local/cuda), else from where the linker looks.
  // Throws WorkloadError (unsupported) with the reason where kernels cannot be recorded.
  ActivityRecorder(int cuda_major, const Room& room);
  explicit ActivityRecorder(int cuda_major) : ActivityRecorder(cuda_major, Room()) {}
  ActivityRecorder(const ActivityRecorder&) = delete;
  ActivityRecorder& operator=(const ActivityRecorder&) = delete;
  ~ActivityRecorder();

  // CUPTI's clock: near the time of day, from which it may drift.
  static std::uint64_t now_ns();

  // Ends recording and hands over all records. Once, when the GPUs are done with their work.
  Activities stop();

 private:
  bool is_recording_ = true;
};

}  // namespace scalestudy::cuda
