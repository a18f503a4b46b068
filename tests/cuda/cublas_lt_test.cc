// The stand-in for cuBLASLt multiplies, and refuses what the real one would.
#include <functional>
#include <string>
#include <vector>

#include <cublasLt.h>

#include "tests/cuda/fake_gpu.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

constexpr std::size_t kWorkspaceBytes = 8192;

// D (2, 2) = A (2, 3) B (3, 2) + bias, by columns, with everything as it has to be.
struct Product {
  Product() {
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0);
    cublasLtCreate(&handle);
    cublasLtMatmulDescInit(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    cublasLtMatmulDescSetAttribute(
        &product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
    set_bias(bias);
    cublasLtMatrixLayoutInit(&a_layout, CUDA_R_32F, 2, 3, 2);
    cublasLtMatrixLayoutInit(&b_layout, CUDA_R_32F, 3, 2, 3);
    cublasLtMatrixLayoutInit(&d_layout, CUDA_R_32F, 2, 2, 2);
    cublasLtMatmulPreferenceInit(&preference);
    const std::uint64_t bytes = kWorkspaceBytes;
    cublasLtMatmulPreferenceSetAttribute(
        &preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes));
    const std::uint32_t alignment = 16;
    for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &alignment, sizeof(alignment));
    }
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() {
    for (void* block : {a, b, bias, d, workspace}) {
      test::release(block);
    }
    cublasLtDestroy(handle);
    cudaStreamDestroy(stream);
  }

  static void* put(const std::vector<float>& values) {
    void* const block = test::allocate(values.size() * sizeof(float));
    std::copy(values.begin(), values.end(), static_cast<float*>(block));
    return block;
  }
  void set_bias(const void* pointer) {
    cublasLtMatmulDescSetAttribute(
        &product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &pointer, sizeof(pointer));
  }

  cublasStatus_t choose() {
    int found = 0;
    return cublasLtMatmulAlgoGetHeuristic(handle,
                                          &product,
                                          &a_layout,
                                          &b_layout,
                                          &d_layout,
                                          &d_layout,
                                          &preference,
                                          1,
                                          &chosen,
                                          &found);
  }
  cublasStatus_t run() {
    return cublasLtMatmul(handle,
                          &product,
                          alpha,
                          a_operand,
                          &a_layout,
                          b,
                          &b_layout,
                          &zero,
                          d,
                          &d_layout,
                          d,
                          &d_layout,
                          &chosen.algo,
                          static_cast<char*>(workspace) + workspace_shift,
                          workspace_bytes,
                          stream);
  }

  // NOLINTBEGIN(misc-non-private-member-variables-in-classes): what a test changes
  cublasLtHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  void* a = put({1, 4, 2, 5, 3, 6});      // rows 1 2 3 and 4 5 6
  void* b = put({1, 0, -1, 2, 0.5F, 0});  // columns 1 0 -1 and 2 0.5 0
  void* bias = put({10, 20});
  void* d = put({7, 7, 7, 7, 7, 7});  // room for A, too
  void* workspace = test::allocate(kWorkspaceBytes);
  const void* a_operand = a;
  std::size_t workspace_shift = 0;
  std::size_t workspace_bytes = kWorkspaceBytes;
  float one = 1.0F;
  float zero = 0.0F;
  const void* alpha = &one;
  cublasLtMatmulDescOpaque_t product{};
  cublasLtMatrixLayoutOpaque_t a_layout{};
  cublasLtMatrixLayoutOpaque_t b_layout{};
  cublasLtMatrixLayoutOpaque_t d_layout{};
  cublasLtMatmulPreferenceOpaque_t preference{};
  cublasLtMatmulHeuristicResult_t chosen{};
  // NOLINTEND(misc-non-private-member-variables-in-classes)
};

struct Fault {
  std::string words;
  std::function<void(Product&)> make;
};

}  // namespace

TEST_CASE("a product with a bias is what it is by hand", "[stand-in]") {
  Product product;

  REQUIRE(product.choose() == CUBLAS_STATUS_SUCCESS);
  REQUIRE(product.run() == CUBLAS_STATUS_SUCCESS);

  // 1 - 3 + 10, 4 - 6 + 20, 2 + 1 + 10, 8 + 2.5 + 20
  const auto* const d = static_cast<const float*>(product.d);
  CHECK(std::vector<float>(d, d + 4) == std::vector<float>{8, 18, 13, 30.5F});
}

TEST_CASE("a product that cuBLASLt would refuse finds no algorithm", "[stand-in]") {
  const Fault fault = GENERATE(
      Fault{"has leading dimension 1",
            [](Product& p) { cublasLtMatrixLayoutInit(&p.a_layout, CUDA_R_32F, 2, 3, 1); }},
      Fault{"sizes do not fit",
            [](Product& p) { cublasLtMatrixLayoutInit(&p.b_layout, CUDA_R_32F, 2, 2, 2); }},
      Fault{"no product of these types",
            [](Product& p) { cublasLtMatrixLayoutInit(&p.a_layout, CUDA_R_16F, 2, 3, 2); }},
      Fault{"a descriptor was not initialised", [](Product& p) { p.b_layout = {}; }},
      Fault{"a preference was not initialised", [](Product& p) { p.preference = {}; }},
      Fault{"batch counts differ", [](Product& p) {
              const std::int32_t count = 2;
              cublasLtMatrixLayoutSetAttribute(
                  &p.a_layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count));
            }});
  Product product;
  fault.make(product);

  CHECK(product.choose() == CUBLAS_STATUS_INVALID_VALUE);

  CAPTURE(fault.words, test::reason());
  CHECK(test::reason().find(fault.words) != std::string::npos);
}

TEST_CASE("a call that cuBLASLt would refuse is refused", "[stand-in]") {
  static const std::vector<float> on_host(6);
  const Fault fault = GENERATE(
      Fault{"operand 0 is not aligned to the 16 bytes of its algorithm",
            [](Product& p) {
              test::release(p.a);
              p.a = Product::put(std::vector<float>(7));
              p.a_operand = static_cast<float*>(p.a) + 1;
            }},
      Fault{"operand 0 is not device memory", [](Product& p) { p.a_operand = on_host.data(); }},
      Fault{"operand 0 is not device memory",
            [](Product& p) { p.a_operand = static_cast<float*>(p.a) + 4; }},
      Fault{"the algorithm was chosen for another product",
            [](Product& p) {
              const cublasOperation_t operation = CUBLAS_OP_T;
              cublasLtMatrixLayoutInit(&p.a_layout, CUDA_R_32F, 3, 2, 3);
              cublasLtMatmulDescSetAttribute(
                  &p.product, CUBLASLT_MATMUL_DESC_TRANSA, &operation, sizeof(operation));
            }},
      Fault{"the workspace is too small", [](Product& p) { p.workspace_bytes = 1; }},
      Fault{"not aligned to 256 bytes",
            [](Product& p) {
              p.workspace_shift = 128;
              p.workspace_bytes = kWorkspaceBytes - 128;
            }},
      Fault{"the bias is not device memory", [](Product& p) { p.set_bias(nullptr); }},
      Fault{"the bias is not device memory", [](Product& p) { p.set_bias(on_host.data()); }},
      Fault{"the result overlaps an operand", [](Product& p) { p.a_operand = p.d; }},
      Fault{"alpha and beta are read by the host", [](Product& p) { p.alpha = p.bias; }},
      Fault{"no such handle or stream", [](Product& p) {
              cudaStreamDestroy(p.stream);
              p.stream = nullptr;
            }});
  Product product;
  REQUIRE(product.choose() == CUBLAS_STATUS_SUCCESS);
  fault.make(product);

  CHECK(product.run() == CUBLAS_STATUS_INVALID_VALUE);

  CAPTURE(fault.words, test::reason());
  CHECK(test::reason().find(fault.words) != std::string::npos);
}
