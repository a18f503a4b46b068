// Checked calls of the CUDA runtime; libraries above it add overloads of check_cuda().
#pragma once

#include <string>

#include <cuda_runtime_api.h>

namespace scalestudy::device {

// Throws "file.cc:12: cudaFoo(x): what" as a WorkloadError (failed).
[[noreturn]] void throw_cuda(const char* call, const char* file, int line, const std::string& what);
// Throws the same text as a WorkloadError (out of memory).
[[noreturn]] void throw_out_of_memory(const char* call,
                                      const char* file,
                                      int line,
                                      const std::string& what);

// Throws WorkloadError (unsupported). The message says what the libraries of this machine cannot do
// and what to use instead.
[[noreturn]] void throw_unsupported(const std::string& message);

// Throws WorkloadError unless `status` is cudaSuccess: (unsupported) where there is no driver or
// device, (out of memory), else (failed).
void check_cuda(cudaError_t status, const char* call, const char* file, int line);

// For destructors: says on stderr what went wrong.
void report_cuda(cudaError_t status, const char* call) noexcept;

}  // namespace scalestudy::device

#define CUDA_CHECK(call) ::scalestudy::device::check_cuda((call), #call, __FILE__, __LINE__)
