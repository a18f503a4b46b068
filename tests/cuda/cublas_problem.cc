#include "tests/cuda/cublas_problem.h"

#include <algorithm>
#include <vector>

#include "tests/cuda/fake_gpu.h"

namespace scalestudy::test {
namespace {

std::string sizes(const Matrix& matrix) {
  return std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
}

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a);
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b);
  return a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
}

// op(matrix) as (inner, outer) floats: one row for each term of the sums.
std::vector<float> unpacked(
    const Matrix& matrix, const void* memory, std::size_t first, bool inner_is_row, bool is_tf32) {
  const std::size_t inner = inner_is_row ? matrix.rows : matrix.columns;
  const std::size_t outer = inner_is_row ? matrix.columns : matrix.rows;
  const auto stride = static_cast<std::size_t>(matrix.leading_dimension);
  std::vector<float> values(inner * outer);
  for (std::size_t column = 0; column < matrix.columns; ++column) {
    for (std::size_t row = 0; row < matrix.rows; ++row) {
      const float value = load(memory, matrix.type, first + column * stride + row);
      values[inner_is_row ? row * outer + column : column * outer + row] =
          is_tf32 ? rounded_to_tf32(value) : value;
    }
  }
  return values;
}

}  // namespace

std::string fault_in(const Problem& problem) {
  const auto& [product, a, b, c, d] = problem;
  for (const Matrix* matrix : {&a, &b, &c, &d}) {
    if (matrix->mark != kInitialised || product.mark != kInitialised) {
      return "a descriptor was not initialised";
    }
    if (matrix->rows == 0 || matrix->columns == 0 || matrix->leading_dimension < 0 ||
        static_cast<std::uint64_t>(matrix->leading_dimension) < matrix->rows) {
      return "a matrix of " + sizes(*matrix) + " has leading dimension " +
             std::to_string(matrix->leading_dimension);
    }
    if (matrix->batch_count != d.batch_count || matrix->batch_count < 1) {
      return "batch counts differ";
    }
    if (matrix->batch_count > 1 && matrix != &a && matrix != &b &&
        matrix->batch_stride <
            matrix->leading_dimension * static_cast<std::int64_t>(matrix->columns)) {
      return "results of a batch overlap";
    }
    if (matrix->type != a.type ||
        (a.type != CUDA_R_32F && a.type != CUDA_R_16BF && a.type != CUDA_R_16F)) {
      return "no product of these types";
    }
  }
  if (product.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && a.type != CUDA_R_32F) {
    return "TF32 is for products of float";
  }
  const bool a_is_plain = product.a_operation == CUBLAS_OP_N;
  const bool b_is_plain = product.b_operation == CUBLAS_OP_N;
  const std::uint64_t inner = a_is_plain ? a.columns : a.rows;
  if ((a_is_plain ? a.rows : a.columns) != d.rows ||
      (b_is_plain ? b.columns : b.rows) != d.columns ||
      (b_is_plain ? b.rows : b.columns) != inner || c.rows != d.rows || c.columns != d.columns) {
    return "sizes do not fit: A " + sizes(a) + ", B " + sizes(b) + ", D " + sizes(d);
  }
  if (product.epilogue == CUBLASLT_EPILOGUE_DEFAULT) {
    return "";
  }
  if (product.epilogue != CUBLASLT_EPILOGUE_BIAS) {
    return "the stand-in has no such epilogue";
  }
  if (product.bias_type != -1 && product.bias_type != d.type) {
    return "the bias is of another type than the result";
  }
  return "";
}

std::uint32_t hash_of(const Problem& problem) {
  const auto& [product, a, b, c, d] = problem;
  std::vector<std::int64_t> facts = {
      product.compute, product.a_operation, product.b_operation, product.epilogue};
  for (const Matrix* matrix : {&a, &b, &c, &d}) {
    facts.insert(facts.end(),
                 {matrix->type,
                  static_cast<std::int64_t>(matrix->rows),
                  static_cast<std::int64_t>(matrix->columns),
                  matrix->leading_dimension,
                  matrix->batch_stride,
                  matrix->batch_count});
  }
  std::uint32_t hash = 2166136261U;
  for (const std::int64_t fact : facts) {
    hash = (hash ^ static_cast<std::uint32_t>(fact)) * 16777619U;
  }
  return hash;
}

std::string fault_in(const Problem& problem, const Algorithm& algorithm, const Operands& operands) {
  if (algorithm.mark != kInitialised || algorithm.problem != hash_of(problem)) {
    return "the algorithm was chosen for another product";
  }
  const std::array<const Matrix*, 4> matrices = {&problem.a, &problem.b, &problem.c, &problem.d};
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (!is_on_device(operands.at.at(i), matrices.at(i)->bytes())) {
      return "operand " + std::to_string(i) + " is not device memory of " +
             std::to_string(matrices.at(i)->bytes()) + " bytes";
    }
    if (!is_multiple(operands.at.at(i), algorithm.alignment.at(i))) {
      return "operand " + std::to_string(i) + " is not aligned to the " +
             std::to_string(algorithm.alignment.at(i)) + " bytes of its algorithm";
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (overlap(operands.at.at(i), matrices.at(i)->bytes(), operands.at[3], problem.d.bytes())) {
      return "the result overlaps an operand";
    }
  }
  if (algorithm.workspace_bytes > 0 &&
      (operands.workspace_bytes < algorithm.workspace_bytes ||
       !is_on_device(operands.workspace, operands.workspace_bytes) ||
       !is_multiple(operands.workspace, 256))) {
    return "the workspace is too small, not aligned to 256 bytes or no device memory";
  }
  const Product& product = problem.product;
  const std::size_t width = element_bytes(problem.d.type);
  if (product.epilogue == CUBLASLT_EPILOGUE_BIAS &&
      (!is_on_device(product.bias, problem.d.rows * width) || !is_multiple(product.bias, width))) {
    return "the bias is not device memory of " + std::to_string(problem.d.rows) + " elements";
  }
  return "";
}

void multiply(
    const Problem& problem, const Operands& operands, float alpha, float beta, std::size_t batch) {
  const auto& [product, a, b, c, d] = problem;
  const auto first = [batch](const Matrix& matrix) {
    return batch * static_cast<std::size_t>(matrix.batch_stride);
  };
  const bool is_tf32 = product.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const std::vector<float> of_a =
      unpacked(a, operands.at[0], first(a), product.a_operation == CUBLAS_OP_T, is_tf32);
  const std::vector<float> of_b =
      unpacked(b, operands.at[1], first(b), product.b_operation == CUBLAS_OP_N, is_tf32);
  const std::size_t inner = of_a.size() / d.rows;
  std::vector<double> sums(d.rows);
  for (std::size_t column = 0; column < d.columns; ++column) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t k = 0; k < inner; ++k) {
      const double factor = of_b[k * d.columns + column];
      const float* const term = of_a.data() + k * d.rows;
      for (std::size_t row = 0; row < d.rows; ++row) {
        sums[row] += factor * term[row];
      }
    }
    for (std::size_t row = 0; row < d.rows; ++row) {
      double value = alpha * sums[row];
      if (beta != 0.0F) {
        value +=
            beta * load(operands.at[2],
                        c.type,
                        first(c) + column * static_cast<std::size_t>(c.leading_dimension) + row);
      }
      if (product.epilogue == CUBLASLT_EPILOGUE_BIAS) {
        value += load(product.bias, d.type, row);
      }
      store(const_cast<void*>(operands.at[3]),
            d.type,
            first(d) + column * static_cast<std::size_t>(d.leading_dimension) + row,
            static_cast<float>(value));
    }
  }
}

}  // namespace scalestudy::test
