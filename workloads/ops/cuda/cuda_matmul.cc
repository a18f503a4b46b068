// cuBLASLt thinks in columns: a row-major C = op(A) op(B) is its C' = op(B)' op(A)', so that B
// comes first, and a row-major matrix is handed over as its transpose.
#include "workloads/ops/cuda/cuda_matmul.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace scalestudy::ops {
namespace {

// The largest power of two, up to 256, that divides every address.
std::uint32_t common_alignment(std::initializer_list<const void*> pointers) {
  std::uintptr_t bits = 256;
  for (const void* pointer : pointers) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the address itself is wanted
    bits |= reinterpret_cast<std::uintptr_t>(pointer);
  }
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

// That are timed; the library's estimate of the best is seldom far off.
constexpr int kMostCandidates = 8;

template <typename T>
class CudaMatmul final : public Matmul<T> {
 public:
  CudaMatmul(const MatmulShape& shape, CudaContext& context, const MatmulBatch& batch)
      : shape_(shape), context_(context), count_(batch.count), factor_(batch.factor) {
    const bool is_tf32 = kCudaType<T> == CUDA_R_32F && context.options().has_tf32;
    CUDA_CHECK(cublasLtMatmulDescInit(
        &product_, is_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F));
    set(CUBLASLT_MATMUL_DESC_TRANSA, shape.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, shape.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (shape.has_bias) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
      set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, kCudaType<T>);
    }
    const auto layout = [&](cublasLtMatrixLayoutOpaque_t& matrix,
                            std::size_t rows,
                            std::size_t columns,
                            std::size_t stride) {
      // NOLINTNEXTLINE(readability-suspicious-call-argument): our rows are its columns
      CUDA_CHECK(cublasLtMatrixLayoutInit(
          &matrix, kCudaType<T>, columns, rows, static_cast<std::int64_t>(columns)));
      if (batch.count > 1) {
        set(matrix, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch.count));
        set(matrix, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, static_cast<std::int64_t>(stride));
      }
    };
    layout(a_,
           shape.a_transposed ? shape.k : shape.m,
           shape.a_transposed ? shape.m : shape.k,
           batch.a_stride);
    layout(b_,
           shape.b_transposed ? shape.n : shape.k,
           shape.b_transposed ? shape.k : shape.n,
           batch.b_stride);
    layout(c_, shape.m, shape.n, batch.c_stride);
  }

  void run(const T* a, const T* b, const T* bias, T* c) override {
    const std::uint32_t alignment = common_alignment({a, b, bias, c});
    if (shape_.has_bias && bias != bias_) {
      bias_ = bias;
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(bias));
    }
    if (alignment_ == 0 || alignment < alignment_) {
      choose(alignment, a, b, c);
    }
    run(algorithm_, a, b, c);
  }

 private:
  void run(const cublasLtMatmulAlgo_t& algorithm, const T* a, const T* b, T* c) {
    const float zero = 0.0F;
    CUDA_CHECK(cublasLtMatmul(context_.blas(),
                              &product_,
                              &factor_,
                              b,
                              &b_,
                              a,
                              &a_,
                              &zero,
                              c,
                              &c_,
                              c,
                              &c_,
                              &algorithm,
                              context_.workspace().data(),
                              context_.workspace().size(),
                              context_.stream()));
  }

  template <typename Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    CUDA_CHECK(cublasLtMatmulDescSetAttribute(&product_, attribute, &value, sizeof(value)));
  }
  template <typename Value>
  static void set(cublasLtMatrixLayoutOpaque_t& matrix,
                  cublasLtMatrixLayoutAttribute_t attribute,
                  const Value& value) {
    CUDA_CHECK(cublasLtMatrixLayoutSetAttribute(&matrix, attribute, &value, sizeof(value)));
  }
  template <typename Value>
  static void set(cublasLtMatmulPreferenceOpaque_t& preference,
                  cublasLtMatmulPreferenceAttributes_t attribute,
                  const Value& value) {
    CUDA_CHECK(cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof(value)));
  }

  void choose(std::uint32_t alignment, const T* a, const T* b, T* c) {
    std::array<cublasLtMatmulHeuristicResult_t, kMostCandidates> candidates{};
    const std::size_t count = find(alignment, candidates);
    const std::string problem = describe(alignment);
    const std::size_t chosen = context_.choices().choose(
        problem, count, [&](std::size_t i) { run(candidates.at(i).algo, a, b, c); });
    algorithm_ = candidates.at(chosen).algo;
    alignment_ = alignment;
    context_.choices().note(problem, describe_algorithm());
  }

  // The algorithms for such operands, as the library orders them; throws where there is none.
  std::size_t find(std::uint32_t alignment,
                   std::array<cublasLtMatmulHeuristicResult_t, kMostCandidates>& candidates) {
    cublasLtMatmulPreferenceOpaque_t preference{};
    CUDA_CHECK(cublasLtMatmulPreferenceInit(&preference));
    set(preference,
        CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
        std::uint64_t{context_.workspace().size()});
    for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      set(preference, attribute, alignment);
    }
    // Parts of a sum that are added up as they arrive may be added in any order; in the output's
    // type or place they would be rounded to 16 bits on the way.
    set(preference,
        CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        static_cast<std::uint32_t>(context_.options().is_deterministic
                                       ? CUBLASLT_REDUCTION_SCHEME_NONE
                                       : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    const int most = context_.options().has_timed_algorithms ? kMostCandidates : 1;
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(context_.blas(),
                                                                 &product_,
                                                                 &b_,
                                                                 &a_,
                                                                 &c_,
                                                                 &c_,
                                                                 &preference,
                                                                 most,
                                                                 candidates.data(),
                                                                 &found);
    const auto end =
        std::remove_if(candidates.begin(), candidates.begin() + found, [](const auto& candidate) {
          return candidate.state != CUBLAS_STATUS_SUCCESS;
        });
    if (status != CUBLAS_STATUS_SUCCESS || end == candidates.begin()) {
      device::throw_cuda("cublasLtMatmulAlgoGetHeuristic",
                         __FILE__,
                         __LINE__,
                         std::string(cublasLtGetStatusString(status)) +
                             ": no algorithm for m, n, k = " + std::to_string(shape_.m) + ", " +
                             std::to_string(shape_.n) + ", " + std::to_string(shape_.k) +
                             " aligned to " + std::to_string(alignment) + " bytes");
    }
    return static_cast<std::size_t>(end - candidates.begin());
  }

  std::string describe(std::uint32_t alignment) const {
    return "matmul " + std::to_string(shape_.m) + "x" + std::to_string(shape_.n) + "x" +
           std::to_string(shape_.k) + (shape_.a_transposed ? " t" : " n") +
           (shape_.b_transposed ? "t" : "n") + (shape_.has_bias ? " bias" : "") +
           (count_ > 1 ? " times " + std::to_string(count_) : "") + ", aligned to " +
           std::to_string(alignment);
  }

  // Throws where the algorithm rounds what precision fp32 promises not to.
  std::string describe_algorithm() const {
    std::uint64_t numerics = 0;
    std::size_t written = 0;
    CUDA_CHECK(cublasLtMatmulAlgoCapGetAttribute(&algorithm_,
                                                 CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS,
                                                 &numerics,
                                                 sizeof(numerics),
                                                 &written));
    const bool is_tf32 = (numerics & CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32) != 0;
    const bool is_rounded = is_tf32 || (numerics & (CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF |
                                                    CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F)) != 0;
    if (kCudaType<T> == CUDA_R_32F && is_rounded && !context_.options().has_tf32) {
      device::throw_cuda("cublasLtMatmulAlgoGetHeuristic",
                         __FILE__,
                         __LINE__,
                         "an algorithm for fp32 rounds its operands");
    }
    std::int32_t id = 0;
    std::uint32_t tile = 0;
    CUDA_CHECK(cublasLtMatmulAlgoConfigGetAttribute(
        &algorithm_, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof(id), &written));
    CUDA_CHECK(cublasLtMatmulAlgoConfigGetAttribute(
        &algorithm_, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile, sizeof(tile), &written));
    return "id " + std::to_string(id) + " tile " + std::to_string(tile) + (is_tf32 ? " tf32" : "");
  }

  MatmulShape shape_;
  CudaContext& context_;
  std::size_t count_;
  float factor_;
  cublasLtMatmulDescOpaque_t product_{};
  cublasLtMatrixLayoutOpaque_t a_{};
  cublasLtMatrixLayoutOpaque_t b_{};
  cublasLtMatrixLayoutOpaque_t c_{};
  cublasLtMatmulAlgo_t algorithm_{};
  std::uint32_t alignment_ = 0;  // what `algorithm_` was chosen for; 0: not yet
  const T* bias_ = nullptr;
};

}  // namespace

template <typename T>
std::unique_ptr<Matmul<T>> make_cuda_matmul(const MatmulShape& shape,
                                            CudaContext& context,
                                            const MatmulBatch& batch) {
  return std::make_unique<CudaMatmul<T>>(shape, context, batch);
}

template decltype(make_cuda_matmul<float>) make_cuda_matmul<float>;
template decltype(make_cuda_matmul<device::Bf16>) make_cuda_matmul<device::Bf16>;
template decltype(make_cuda_matmul<device::Half>) make_cuda_matmul<device::Half>;

}  // namespace scalestudy::ops
