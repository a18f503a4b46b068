// cuBLASLt's products by plain loops, after the checks that its documentation states for
// cublasLtMatmul (cublas_problem.h).
#include <algorithm>
#include <cstring>
#include <string>

#include <cublasLt.h>

#include "tests/cuda/cublas_problem.h"
#include "tests/cuda/fake_gpu.h"

struct cublasLtContext {};

namespace {

using namespace scalestudy;
using test::Algorithm;
using test::fault_in;
using test::Matrix;
using test::Preference;
using test::Problem;
using test::Product;

template <typename Info, typename Opaque>
Info& info(Opaque* opaque) {
  static_assert(sizeof(Info) <= sizeof(Opaque));
  return *reinterpret_cast<Info*>(opaque);
}

cublasStatus_t refuse(const std::string& reason) {
  test::set_reason(reason);
  return CUBLAS_STATUS_INVALID_VALUE;
}

// Takes a value over if it has the size that the attribute has.
template <typename Value>
cublasStatus_t take(Value& to, const void* value, std::size_t size) {
  if (size != sizeof(Value)) {
    return refuse("an attribute of " + std::to_string(sizeof(Value)) + " bytes was given " +
                  std::to_string(size));
  }
  std::memcpy(&to, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Value>
cublasStatus_t give(const Value& from, void* value, std::size_t size, std::size_t* written) {
  if (size != sizeof(from)) {
    return refuse("an attribute was asked for in another size");
  }
  std::memcpy(value, &from, sizeof(from));
  *written = sizeof(from);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-function-size):
// theirs
extern "C" {

std::size_t cublasLtGetVersion() {
  return 130000;
}
const char* cublasLtGetStatusString(cublasStatus_t status) {
  static thread_local std::string text;
  text = "status " + std::to_string(status) + " of the stand-in: " + test::reason();
  return text.c_str();
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (test::is_full("cublas")) {
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t product,
                                               std::size_t /*size*/,
                                               cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  if ((compute != CUBLAS_COMPUTE_32F && compute != CUBLAS_COMPUTE_32F_FAST_TF32) ||
      scale != CUDA_R_32F) {
    return refuse("the stand-in computes in float only");
  }
  info<Product>(product) = {.compute = compute};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value,
                                              std::size_t size) {
  auto& to = info<Product>(product);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return take(to.a_operation, value, size);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return take(to.b_operation, value, size);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return take(to.epilogue, value, size);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return take(to.bias, value, size);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return take(to.bias_type, value, size);
    default:
      return refuse("the stand-in knows no such attribute of a product");
  }
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t matrix,
                                                 std::size_t /*size*/,
                                                 cudaDataType type,
                                                 std::uint64_t rows,
                                                 std::uint64_t columns,
                                                 std::int64_t leading_dimension) {
  info<Matrix>(matrix) = {
      .type = type, .rows = rows, .columns = columns, .leading_dimension = leading_dimension};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t matrix,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value,
                                                std::size_t size) {
  auto& to = info<Matrix>(matrix);
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return take(to.batch_count, value, size);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return take(to.batch_stride, value, size);
    default:
      return refuse("the stand-in knows no such attribute of a matrix");
  }
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                     std::size_t /*size*/) {
  info<Preference>(preference) = {};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value,
                                                    std::size_t size) {
  auto& to = info<Preference>(preference);
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return take(to.workspace_bytes, value, size);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return take(to.reductions, value, size);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return take(to.alignment[0], value, size);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return take(to.alignment[1], value, size);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return take(to.alignment[2], value, size);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return take(to.alignment[3], value, size);
    default:
      return refuse("the stand-in knows no such preference");
  }
}

// Two algorithms where that many are asked for: one that needs all the alignment it is promised and
// a workspace, and one that needs neither.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t /*handle*/,
                                              cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c,
                                              cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference,
                                              int requested,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* found) {
  const Problem problem = {
      info<Product>(product), info<Matrix>(a), info<Matrix>(b), info<Matrix>(c), info<Matrix>(d)};
  *found = 0;
  const auto& wanted = info<Preference>(preference);
  std::string fault = fault_in(problem);
  if (wanted.mark != test::kInitialised || requested < 1) {
    fault = "a preference was not initialised, or no algorithm asked for";
  }
  if (!fault.empty()) {
    return refuse(fault);
  }
  const auto element_bytes = static_cast<std::uint32_t>(test::element_bytes(problem.d.type));
  for (; *found < std::min(requested, 2); ++*found) {
    Algorithm algorithm{
        .problem = test::hash_of(problem),
        .id = static_cast<std::uint32_t>(*found),
        .is_tf32 = problem.product.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? 1U : 0U};
    algorithm.alignment.fill(element_bytes);
    if (*found == 0) {
      algorithm.alignment = wanted.alignment;
      algorithm.workspace_bytes = std::min<std::uint64_t>(wanted.workspace_bytes, 4096);
    }
    cublasLtMatmulHeuristicResult_t& result = results[*found];
    result = {};
    info<Algorithm>(&result.algo) = algorithm;
    result.workspaceSize = algorithm.workspace_bytes;
    result.state = CUBLAS_STATUS_SUCCESS;
    result.wavesCount = 1.0F;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t* algorithm,
                                                 cublasLtMatmulAlgoCapAttributes_t attribute,
                                                 void* value,
                                                 std::size_t size,
                                                 std::size_t* written) {
  const std::uint64_t inputs = info<const Algorithm>(algorithm).is_tf32 != 0
                                   ? CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32
                                   : CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F;
  return attribute == CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS ? give(inputs, value, size, written)
                                                             : refuse("no such capability");
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* value,
                                                    std::size_t size,
                                                    std::size_t* written) {
  const std::uint32_t id = info<const Algorithm>(algorithm).id;
  return attribute == CUBLASLT_ALGO_CONFIG_ID || attribute == CUBLASLT_ALGO_CONFIG_TILE_ID
             ? give(id, value, size, written)
             : refuse("no such setting");
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle,
                              cublasLtMatmulDesc_t product,
                              const void* alpha,
                              const void* a,
                              cublasLtMatrixLayout_t a_layout,
                              const void* b,
                              cublasLtMatrixLayout_t b_layout,
                              const void* beta,
                              const void* c,
                              cublasLtMatrixLayout_t c_layout,
                              void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm,
                              void* workspace,
                              std::size_t workspace_bytes,
                              cudaStream_t stream) {
  const Problem problem = {info<Product>(product),
                           info<Matrix>(a_layout),
                           info<Matrix>(b_layout),
                           info<Matrix>(c_layout),
                           info<Matrix>(d_layout)};
  const test::Operands operands = {{a, b, c, d}, workspace, workspace_bytes};
  const auto& chosen = info<const Algorithm>(algorithm);
  std::string fault = fault_in(problem);
  if (fault.empty()) {
    fault = fault_in(problem, chosen, operands);
  }
  if (handle == nullptr || !test::is_known(stream)) {
    fault = "there is no such handle or stream";
  }
  for (const void* factor : {alpha, beta}) {
    if (factor == nullptr || test::is_on_device(factor, sizeof(float))) {
      fault = "alpha and beta are read by the host";
    }
  }
  if (!fault.empty()) {
    return refuse(fault);
  }
  std::memset(workspace, 0xA5, chosen.workspace_bytes);
  for (std::size_t batch = 0; batch < static_cast<std::size_t>(problem.d.batch_count); ++batch) {
    test::multiply(problem,
                   operands,
                   *static_cast<const float*>(alpha),
                   *static_cast<const float*>(beta),
                   batch);
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-function-size)
