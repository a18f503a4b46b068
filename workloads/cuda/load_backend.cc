#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <dlfcn.h>

#include "workloads/cuda/backend.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::cuda {
namespace {

[[noreturn]] void refuse_backend(const std::string& message) {
  throw rank::WorkloadError(protocol::kExitUnsupported, message + "; use backend cpu");
}

// The same in a build folder and in an installed one: bin/ or tests/ beside lib/.
std::filesystem::path module_path() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "lib" / "libscalestudy_cuda.so";
}

Backend& load() {
  const std::filesystem::path path = module_path();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    refuse_backend("this build has no CUDA backend (" + path.string() + " is missing)");
  }
  // All kernels at the start, so that none is loaded while steps are timed, unless the environment
  // says otherwise.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread yet
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  // Never closed: the CUDA runtime does not survive being unloaded.
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    refuse_backend(std::string("the CUDA backend cannot be loaded: ") +
                   dlerror());  // NOLINT(concurrency-mt-unsafe): thread-local in glibc
  }
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
  auto* const make =
      reinterpret_cast<decltype(&scalestudy_cuda_backend)>(dlsym(module, kBackendSymbol));
  Backend* const backend = make == nullptr ? nullptr : make(kBackendVersion);
  if (backend == nullptr) {
    refuse_backend(path.string() + " was built for another version of this program");
  }
  try {
    backend->device_count();
  } catch (const rank::WorkloadError& no_device) {
    refuse_backend(no_device.what());
  }
  return *backend;
}

}  // namespace

Backend& load_backend() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): loaded once for the process
  static Backend& backend = load();
  return backend;
}

}  // namespace scalestudy::cuda
