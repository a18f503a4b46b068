// Records what a process's GPUs do and when (kernels, copies and memsets) through CUPTI, for a
// trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy::cuda {

// The major version: 13 for "13.0", the version of the runtime and of its CUPTI. Throws
// WorkloadError (unsupported) with the text if it does not begin with a number.
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
  std::vector<Activity> all;       // in order of their start
  // Records that are missing from `all`:
  std::size_t dropped = 0;  // CUPTI had no room left for them
  std::size_t unknown = 0;  // their kind was not asked for
  std::size_t untimed = 0;  // CUPTI could not take their times
  std::string incomplete;   // the call that failed when CUPTI handed records over, and why; or ""
};

// Records activities from its construction to stop(). One at a time in a process, main thread only.
//
// Never made where steps are measured: the library, which nothing links, is loaded by the
// constructor alone and stays in the process.
class ActivityRecorder {
 public:
  // Host memory for records, taken as it fills; a record of a kernel takes some 200 bytes.
  struct Room {
    std::size_t buffer_bytes = std::size_t{4} << 20U;
    std::size_t buffers = 16;
  };

  // Loads libcupti.so of that major version of CUDA from the toolkit of $CUDA_HOME (not set:
  // /usr/local/cuda), else from where the linker looks. Throws WorkloadError (unsupported) with the
  // reason if kernels cannot be recorded.
  ActivityRecorder(int cuda_major, const Room& room);
  explicit ActivityRecorder(int cuda_major) : ActivityRecorder(cuda_major, Room()) {}
  ActivityRecorder(const ActivityRecorder&) = delete;
  ActivityRecorder& operator=(const ActivityRecorder&) = delete;
  ~ActivityRecorder();

  // CUPTI's clock: near the time of day, from which it may drift.
  static std::uint64_t now_ns();

  // Ends recording and hands over all records. Call it once, when the GPUs have finished their
  // work.
  Activities stop();

 private:
  bool is_recording_ = true;
};

}  // namespace scalestudy::cuda
