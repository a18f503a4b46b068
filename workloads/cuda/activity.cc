#include "workloads/cuda/activity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include <cxxabi.h>
#include <dlfcn.h>

#include "workloads/cuda/cupti.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::cuda {
namespace {

constexpr std::array kKinds = {cupti::kConcurrentKernel, cupti::kMemcpy, cupti::kMemset};
constexpr std::size_t kAlignment = 8;  // ACTIVITY_RECORD_ALIGNMENT

[[noreturn]] void refuse_activity(const std::string& message) {
  throw rank::WorkloadError(protocol::kExitUnsupported, message);
}

template <typename Function>
Function* find(void* handle, const char* name) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
  auto* const function = reinterpret_cast<Function*>(dlsym(handle, name));
  if (function == nullptr) {
    refuse_activity(std::string("CUPTI has no ") + name);
  }
  return function;
}

// Functions of the library that dlopen() gave.
struct Library {
  explicit Library(void* handle)
      : version(find<cupti::GetVersion>(handle, "cuptiGetVersion")),
        result_string(find<cupti::GetResultString>(handle, "cuptiGetResultString")),
        timestamp(find<cupti::GetTimestamp>(handle, "cuptiGetTimestamp")),
        register_callbacks(
            find<cupti::RegisterCallbacks>(handle, "cuptiActivityRegisterCallbacks")),
        enable(find<cupti::Enable>(handle, "cuptiActivityEnable")),
        disable(find<cupti::Enable>(handle, "cuptiActivityDisable")),
        flush_all(find<cupti::FlushAll>(handle, "cuptiActivityFlushAll")),
        next_record(find<cupti::GetNextRecord>(handle, "cuptiActivityGetNextRecord")),
        dropped(find<cupti::GetDropped>(handle, "cuptiActivityGetNumDroppedRecords")) {}

  cupti::GetVersion* version;
  cupti::GetResultString* result_string;
  cupti::GetTimestamp* timestamp;
  cupti::RegisterCallbacks* register_callbacks;
  cupti::Enable* enable;
  cupti::Enable* disable;
  cupti::FlushAll* flush_all;
  cupti::GetNextRecord* next_record;
  cupti::GetDropped* dropped;
};

struct FreeAligned {
  void operator()(std::uint8_t* block) const {
    ::operator delete(block, std::align_val_t(kAlignment));
  }
};

struct Completed {
  std::unique_ptr<std::uint8_t, FreeAligned> block;
  std::size_t valid_bytes = 0;
};

// What the callbacks, which take no argument of ours, write to: by any thread, CUPTI's own too.
struct Buffers {
  std::mutex mutex;
  ActivityRecorder::Room room;
  bool is_open = false;
  std::size_t given = 0;             // CUPTI has them until they are completed
  std::vector<Completed> completed;  // in the order of that
  std::size_t dropped = 0;
};

// Both stay until the process ends, and so for whatever thread CUPTI still has then.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::optional<Library> loaded;
Buffers& buffers() {
  static Buffers& all = *new Buffers;
  return all;
}
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* record_limit) {
  Buffers& all = buffers();
  const std::lock_guard lock(all.mutex);
  *buffer = nullptr;
  *size = 0;
  *record_limit = 0;  // as many as fit
  if (!all.is_open || all.given == all.room.buffers) {
    return;  // CUPTI drops records and counts them
  }
  void* const block =
      ::operator new(all.room.buffer_bytes, std::align_val_t(kAlignment), std::nothrow);
  if (block != nullptr) {
    *buffer = static_cast<std::uint8_t*>(block);
    *size = all.room.buffer_bytes;
    ++all.given;
  }
}

void add_dropped(void* context, std::uint32_t stream) {
  std::size_t count = 0;  // since it was asked last
  if (loaded->dropped(context, stream, &count) == cupti::kSuccess) {
    const std::lock_guard lock(buffers().mutex);
    buffers().dropped += count;
  }
}

void complete_buffer(void* context,
                     std::uint32_t stream,
                     std::uint8_t* buffer,
                     std::size_t /*size*/,
                     std::size_t valid_bytes) {
  if (buffer != nullptr) {
    const std::lock_guard lock(buffers().mutex);
    buffers().completed.push_back(
        {std::unique_ptr<std::uint8_t, FreeAligned>(buffer), valid_bytes});
  }
  add_dropped(context, stream);
}

std::string error_text(const char* call, int result) {
  const char* name = nullptr;
  if (loaded->result_string(result, &name) != cupti::kSuccess || name == nullptr) {
    name = "an error without a name";
  }
  return std::string(call) + ": " + name + " (" + std::to_string(result) + ')';
}

// Where the toolkit has it: its own installer, distributions, and pip and conda.
std::vector<std::filesystem::path> toolkit_folders() {
  const char* const home = std::getenv("CUDA_HOME");  // NOLINT(concurrency-mt-unsafe): nobody sets
  const std::filesystem::path toolkit = home == nullptr || *home == 0 ? "/usr/local/cuda" : home;
#ifdef __aarch64__
  const char* const target = "sbsa-linux";
#else
  const char* const target = "x86_64-linux";
#endif
  return {toolkit / "extras" / "CUPTI" / "lib64",
          toolkit / "targets" / target / "lib",
          toolkit / "lib64",
          toolkit / "lib"};
}

// By its whole path where the toolkit has it, else by its name alone.
std::string library_path(int cuda_major) {
  std::string name = "libcupti.so." + std::to_string(cuda_major);
  for (const std::filesystem::path& folder : toolkit_folders()) {
    std::error_code unreadable;
    if (std::filesystem::exists(folder / name, unreadable)) {
      return (folder / name).string();
    }
  }
  return name;
}

// Its path.
std::string load(int cuda_major) {
  std::string path = library_path(cuda_major);
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    refuse_activity(std::string("CUPTI cannot be loaded: ") +
                    dlerror() +  // NOLINT(concurrency-mt-unsafe): thread-local in glibc
                    "; it comes with the CUDA Toolkit, which $CUDA_HOME names");
  }
  loaded.emplace(handle);
  return path;
}

void check_version(const std::string& path) {
  constexpr std::uint32_t per_major = 10'000;  // of CUDA 13.0.1: 130001; before 13 they count to 28
  std::uint32_t version = 0;
  if (loaded->version(&version) != cupti::kSuccess || version == 0 ||
      version / per_major > cupti::kNewestMajor) {
    refuse_activity(path + " is of version " + std::to_string(version) +
                    ", whose records this program does not know (it knows those up to CUDA " +
                    std::to_string(cupti::kNewestMajor) + ")");
  }
}

std::string demangled(const char* name) {
  if (name == nullptr || *name == 0) {
    return "kernel without a name";
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

// source: CUpti_ActivityMemcpyKind.
std::string copy_name(std::uint8_t direction) {
  constexpr std::array<const char*, 11> names = {"",
                                                 " host to device",
                                                 " device to host",
                                                 " host to array",
                                                 " array to host",
                                                 " array to array",
                                                 " array to device",
                                                 " device to array",
                                                 " device to device",
                                                 " host to host",
                                                 " peer to peer"};
  return std::string("memcpy") + (direction < names.size() ? names.at(direction) : "");
}

// Makes Activities of records.
class Reader {
 public:
  void read(std::uint8_t* buffer, std::size_t valid_bytes) {
    cupti::Record* record = nullptr;
    int result = loaded->next_record(buffer, valid_bytes, &record);
    for (; result == cupti::kSuccess; result = loaded->next_record(buffer, valid_bytes, &record)) {
      add(*record);
    }
    if (result != cupti::kMaxLimitReached) {
      result_.incomplete = error_text("cuptiActivityGetNextRecord", result);
    }
  }

  Activities finish() {
    std::stable_sort(result_.all.begin(),
                     result_.all.end(),
                     [](const Activity& a, const Activity& b) { return a.from_ns < b.from_ns; });
    return std::move(result_);
  }

 private:
  void add(const cupti::Record& record) {
    // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): as CUPTI's records are read
    if (record.kind == cupti::kConcurrentKernel) {
      const auto& kernel = reinterpret_cast<const cupti::Kernel&>(record);
      const auto [known, is_new] = kernels_.try_emplace(kernel.name, 0);
      if (is_new) {  // CUPTI keeps one text for all launches of a kernel
        known->second = name_index(demangled(kernel.name));
      }
      add(kernel, known->second, std::nullopt);
    } else if (record.kind == cupti::kMemcpy || record.kind == cupti::kMemset) {
      const auto& transfer = reinterpret_cast<const cupti::Transfer&>(record);
      const bool is_copy = record.kind == cupti::kMemcpy;
      add(transfer, name_index(is_copy ? copy_name(transfer.direction) : "memset"), transfer.bytes);
    } else {
      ++result_.unknown;
    }
    // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  }

  template <typename Timed>
  void add(const Timed& record, std::size_t name, std::optional<std::uint64_t> bytes) {
    if (record.start_ns == 0 || record.end_ns < record.start_ns) {
      ++result_.untimed;
      return;
    }
    result_.all.push_back({.name = name,
                           .device = record.device,
                           .context = record.context,
                           .stream = record.stream,
                           .from_ns = record.start_ns,
                           .until_ns = record.end_ns,
                           .bytes = bytes});
  }

  std::size_t name_index(const std::string& name) {
    const auto [known, is_new] = indices_.try_emplace(name, result_.names.size());
    if (is_new) {
      result_.names.push_back(name);
    }
    return known->second;
  }

  Activities result_;
  std::map<const char*, std::size_t> kernels_;
  std::map<std::string, std::size_t> indices_;
};

// Whatever CUPTI asks for from now on, it gets nothing.
void close_buffers() {
  const std::lock_guard lock(buffers().mutex);
  buffers().is_open = false;
}

void disable_kinds() {
  for (const std::int32_t kind : kKinds) {
    loaded->disable(kind);
  }
}

}  // namespace

ActivityRecorder::ActivityRecorder(int cuda_major, const Room& room) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it
  if (const char* const profiler = std::getenv("CUDA_INJECTION64_PATH");
      profiler != nullptr && *profiler != 0) {
    refuse_activity(
        std::string("$CUDA_INJECTION64_PATH names a profiler, which alone may use CUPTI: ") +
        profiler);
  }
  const std::string path = load(cuda_major);
  check_version(path);
  {
    const std::lock_guard lock(buffers().mutex);
    buffers().room = room;
    buffers().is_open = true;
    buffers().given = 0;
    buffers().completed.clear();
    buffers().dropped = 0;
  }
  const char* call = "cuptiActivityRegisterCallbacks";
  int result = loaded->register_callbacks(request_buffer, complete_buffer);
  for (std::size_t i = 0; i < kKinds.size() && result == cupti::kSuccess; ++i) {
    call = "cuptiActivityEnable";
    result = loaded->enable(kKinds.at(i));
  }
  if (result != cupti::kSuccess) {
    disable_kinds();  // some may be on
    close_buffers();
    const bool has_driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
    refuse_activity(path + " records nothing: " + error_text(call, result) +
                    (has_driver ? "" : "; this process has no driver of a GPU (libcuda.so.1)"));
  }
}

ActivityRecorder::~ActivityRecorder() {
  if (is_recording_) {
    disable_kinds();
    close_buffers();
  }
}

std::uint64_t ActivityRecorder::now_ns() {
  std::uint64_t now = 0;
  loaded->timestamp(&now);
  return now;
}

int major_version(const std::string& version) {
  int major = 0;
  if (std::from_chars(version.data(), version.data() + version.size(), major).ec != std::errc{}) {
    refuse_activity("the CUDA runtime calls its version '" + version + "', which names no CUPTI");
  }
  return major;
}

Activities ActivityRecorder::stop() {
  is_recording_ = false;
  disable_kinds();
  const int flushed = loaded->flush_all(cupti::kFlushForced);
  add_dropped(nullptr, 0);
  close_buffers();
  std::vector<Completed> completed;
  std::size_t dropped = 0;
  {
    const std::lock_guard lock(buffers().mutex);
    completed = std::exchange(buffers().completed, {});
    dropped = buffers().dropped;
  }
  Reader reader;
  for (const Completed& buffer : completed) {
    reader.read(buffer.block.get(), buffer.valid_bytes);
  }
  Activities activities = reader.finish();
  activities.dropped = dropped;
  if (flushed != cupti::kSuccess) {
    activities.incomplete = error_text("cuptiActivityFlushAll", flushed);
  }
  return activities;
}

}  // namespace scalestudy::cuda
