#include "workloads/device/cuda_check.h"

#include <cstdio>
#include <string_view>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::device {
namespace {

int exit_code_of(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorNoKernelImageForDevice:
      return protocol::kExitUnsupported;
    case cudaErrorMemoryAllocation:
      return protocol::kExitOutOfMemory;
    default:
      return protocol::kExitFailed;
  }
}

[[noreturn]] void throw_error(
    int exit_code, const char* call, const char* file, int line, const std::string& what) {
  const std::string_view path = file;
  const std::string name(path.substr(path.rfind('/') + 1));
  throw rank::WorkloadError(exit_code,
                            name + ':' + std::to_string(line) + ": " + call + ": " + what);
}

}  // namespace

void throw_cuda(const char* call, const char* file, int line, const std::string& what) {
  throw_error(protocol::kExitFailed, call, file, line, what);
}

void throw_out_of_memory(const char* call, const char* file, int line, const std::string& what) {
  throw_error(protocol::kExitOutOfMemory, call, file, line, what);
}

void throw_unsupported(const std::string& message) {
  throw rank::WorkloadError(protocol::kExitUnsupported, message);
}

void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) {
    return;
  }
  cudaGetLastError();  // or the next launch check would blame its own kernel
  throw_error(exit_code_of(status),
              call,
              file,
              line,
              std::string(cudaGetErrorName(status)) + ", " + cudaGetErrorString(status));
}

void report_cuda(cudaError_t status, const char* call) noexcept {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "scalestudy: %s: %s\n", call, cudaGetErrorString(status));
  }
}

}  // namespace scalestudy::device
