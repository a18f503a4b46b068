// A product as cuBLASLt is asked for one: what its opaque descriptors hold in the stand-in.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <cublasLt.h>

#include "tests/cuda/elements.h"

namespace scalestudy::test {

inline constexpr std::uint32_t kInitialised = 0x5CA1E57DU;

struct Product {
  std::uint32_t mark = kInitialised;
  cublasComputeType_t compute{};
  std::int32_t a_operation = CUBLAS_OP_N;
  std::int32_t b_operation = CUBLAS_OP_N;
  std::int32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  std::int32_t bias_type = -1;  // -1: that of D
  const void* bias = nullptr;
};

struct Matrix {
  std::uint32_t mark = kInitialised;
  cudaDataType_t type{};
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::int64_t leading_dimension = 0;
  std::int64_t batch_stride = 0;
  std::int32_t batch_count = 1;

  std::size_t elements() const {
    return static_cast<std::size_t>((batch_count - 1) * batch_stride +
                                    static_cast<std::int64_t>(columns - 1) * leading_dimension) +
           rows;
  }
  std::size_t bytes() const { return elements() * element_bytes(type); }
};

struct Preference {
  std::uint32_t mark = kInitialised;
  std::uint32_t reductions = 0xFFFFFFFFU;
  std::uint64_t workspace_bytes = 0;
  std::array<std::uint32_t, 4> alignment = {256, 256, 256, 256};
};

struct Algorithm {
  std::uint32_t mark = kInitialised;
  std::uint32_t problem = 0;  // a hash of what it was chosen for
  std::uint32_t id = 0;
  std::uint32_t is_tf32 = 0;
  std::uint64_t workspace_bytes = 0;
  std::array<std::uint32_t, 4> alignment{};
};

struct Problem {
  Product product;
  Matrix a;
  Matrix b;
  Matrix c;
  Matrix d;
};

// Empty when cuBLASLt takes the problem, else why not: types, sizes, leading dimensions, batches,
// epilogue.
std::string fault_in(const Problem& problem);

// A hash of the problem that an algorithm is chosen for.
std::uint32_t hash_of(const Problem& problem);

struct Operands {
  std::array<const void*, 4> at;  // A, B, C, D
  const void* workspace;
  std::size_t workspace_bytes;
};

// Empty when cuBLASLt takes the call, else why not: alignment that the algorithm was chosen for,
// workspaces, overlaps, and which pointers are device memory.
std::string fault_in(const Problem& problem, const Algorithm& algorithm, const Operands& operands);

// D = alpha op(A) op(B) + beta C + bias, added up in double; of one product of the batch.
void multiply(
    const Problem& problem, const Operands& operands, float alpha, float beta, std::size_t batch);

}  // namespace scalestudy::test
