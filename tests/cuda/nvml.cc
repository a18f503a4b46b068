// Stands for libnvidia-ml.so.1: of each GPU of the stand-in 2 GB are in use when that is first
// asked and 3 GB later, and by the list of processes another one holds 5 GB.
//
//   SCALESTUDY_FAKE_NVML  process, little: this process is listed, with 0.75 GB or 1 kB
//                         empty, untold: likewise, without memory or with none that is told
//                         shrunk: it is not, and 1 GB is in use later
//                         not set: it is not, as where its id is another one on the host
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

namespace {

constexpr int kGpus = 10;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;

struct Process {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

bool is_asked_for(const char* kind) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes it
  const char* const given = std::getenv("SCALESTUDY_FAKE_NVML");
  return given != nullptr && std::strcmp(given, kind) == 0;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): NVML's names
extern "C" {

int nvmlInit_v2() {
  return 0;
}

// The device is where the times are counted that its memory was asked for.
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  static int asked[kGpus];
  const std::string id = bus_id;
  if (id.size() != std::strlen("0000:03:00.0") || id.rfind("0000:0", 0) != 0) {
    return kNotFound;
  }
  *device = &asked[id[6] - '0'];
  return 0;
}

int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* total_free_used) {
  const bool is_first = (*static_cast<int*>(device))++ == 0;
  total_free_used[2] = is_first                 ? 2'000'000'000
                       : is_asked_for("shrunk") ? 1'000'000'000
                                                : 3'000'000'000;
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* /*device*/, unsigned* count, Process* processes) {
  const bool is_listed = is_asked_for("process") || is_asked_for("little") ||
                         is_asked_for("empty") || is_asked_for("untold");
  const unsigned listed = is_listed ? 2 : 1;
  const bool has_room = processes != nullptr && *count >= listed;
  *count = listed;
  if (!has_room) {
    return kInsufficientSize;
  }
  processes[0] = {1, 5'000'000'000, 0, 0};
  if (is_listed) {
    const unsigned long long own = is_asked_for("process")  ? 750'000'000
                                   : is_asked_for("little") ? 1000
                                   : is_asked_for("empty")  ? 0
                                                            : ~0ULL;
    processes[1] = {static_cast<unsigned>(getpid()), own, 0, 0};
  }
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
