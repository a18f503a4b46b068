#include "harness/study/parameters/told_variables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace scalestudy {
namespace {

constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"OMP_",     "GOMP_",  "KMP_",    "MKL_",   "OPENBLAS_", "BLIS_", "DNNL_",
     "ONEDNN_",  "CUDA_",  "CUBLAS_", "CUDNN_", "NVIDIA_",   "HIP_",  "ROCR_",
     "PYTORCH_", "TORCH_", "XLA_",    "JAX_",   "MALLOC_",   "PYTHON"});

// ld.so(8); tensorflow/core and tsl, where they are read.
constexpr auto kNames = std::to_array<std::string_view>({"VIRTUAL_ENV",
                                                         "CONDA_PREFIX",
                                                         "LD_AUDIT",
                                                         "LD_BIND_NOT",
                                                         "LD_BIND_NOW",
                                                         "LD_HWCAP_MASK",
                                                         "LD_LIBRARY_PATH",
                                                         "LD_PRELOAD",
                                                         "TF_CPP_MIN_LOG_LEVEL",
                                                         "TF_CPP_MAX_VLOG_LEVEL",
                                                         "TF_CUDNN_DETERMINISTIC",
                                                         "TF_CUDNN_USE_AUTOTUNE",
                                                         "TF_CUDNN_USE_FRONTEND",
                                                         "TF_CUDNN_WORKSPACE_LIMIT_IN_MB",
                                                         "TF_DETERMINISTIC_OPS",
                                                         "TF_ENABLE_AUTO_MIXED_PRECISION",
                                                         "TF_ENABLE_CUBLAS_TENSOR_OP_MATH_FP32",
                                                         "TF_ENABLE_CUDNN_TENSOR_OP_MATH_FP32",
                                                         "TF_ENABLE_ONEDNN_OPTS",
                                                         "TF_FORCE_GPU_ALLOW_GROWTH",
                                                         "TF_GPU_ALLOCATOR",
                                                         "TF_GPU_HOST_MEM_LIMIT_IN_MB",
                                                         "TF_GPU_THREAD_COUNT",
                                                         "TF_GPU_THREAD_MODE",
                                                         "TF_NUM_INTEROP_THREADS",
                                                         "TF_NUM_INTRAOP_THREADS",
                                                         "TF_USE_LEGACY_KERAS",
                                                         "TF_XLA_FLAGS"});

constexpr auto kSecretWords =
    std::to_array<std::string_view>({"KEY", "TOKEN", "SECRET", "PASS", "CRED", "AUTH"});

}  // namespace

bool is_told_variable(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(
      upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto is_in_name = [&](std::string_view word) {
    return upper.find(word) != std::string::npos;
  };
  // Of NVIDIA's containers: 2 kB of driver versions, for the tool that starts them.
  if (name == "NVIDIA_REQUIRE_CUDA" || std::ranges::any_of(kSecretWords, is_in_name)) {
    return false;
  }
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace scalestudy
