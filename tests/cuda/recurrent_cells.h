// One layer of LSTM or GRU as cuDNN is asked for one: what its descriptors hold in the stand-in,
// and a step of one sample. Weights lie in an order of this file's own, which callers have to ask
// for; what a pass needs of the one before is kept in the reserve alone.
#pragma once

#include <string>
#include <vector>

#include "tests/cuda/dnn.h"

struct cudnnDropoutStruct {};

struct cudnnRNNStruct {
  cudaDataType_t type{};
  bool is_lstm = false;
  std::size_t inputs = 0;
  std::size_t width = 0;  // of the hidden state

  std::size_t gates() const { return is_lstm ? 4 : 3; }
  // Matrix `id` and its bias, in elements: the last one comes first, the bias before the matrix.
  std::size_t bias_at(std::size_t id) const {
    std::size_t at = kGap;
    for (std::size_t other = 2 * gates() - 1; other > id; --other) {
      at += width + columns(other) * width + kGap;
    }
    return at;
  }
  std::size_t matrix_at(std::size_t id) const { return bias_at(id) + width; }
  std::size_t columns(std::size_t id) const { return id < gates() ? inputs : width; }
  std::size_t weight_bytes() const {
    return (matrix_at(0) + columns(0) * width) * scalestudy::test::element_bytes(type);
  }
  static constexpr std::size_t kGap = 8;  // keeps matrices apart and aligned
};

struct cudnnRNNDataStruct {
  cudaDataType_t type{};
  std::size_t steps = 0;
  std::size_t batch = 0;
  std::size_t width = 0;

  std::size_t rows() const { return steps * batch; }
  std::size_t bytes() const { return rows() * width * scalestudy::test::element_bytes(type); }
};

namespace scalestudy::test {

inline constexpr std::size_t kWorkspaceBytes = 4096;

// What one step of one sample keeps, in the reserve.
struct Kept {
  float* activation;  // (gates, width)
  float* cell;        // (width): LSTM's cell; GRU's recurrent part of the new state
  float* dinput;      // (gates, width): gradient before the activation, input side
  float* drecurrent;  // (gates, width): the same, recurrent side
};

inline std::size_t kept_count(const cudnnRNNStruct& cells) {
  return (3 * cells.gates() + 1) * cells.width;
}

inline Kept kept_at(const cudnnRNNStruct& cells, void* reserve, std::size_t row) {
  auto* const first = static_cast<float*>(reserve) + row * kept_count(cells);
  const std::size_t all = cells.gates() * cells.width;
  return {first, first + all, first + all + cells.width, first + 2 * all + cells.width};
}

// Sequences in device memory: how they are laid out, and where.
struct Rows {
  const cudnnRNNDataStruct& layout;
  const void* memory;
};

// Bytes of device memory.
struct Space {
  const void* memory;
  std::size_t bytes;
};

struct Call {
  cudnnHandle_t handle;
  const cudnnRNNStruct& cells;
  const std::int32_t* lengths;
  Rows x;
  Rows y;
  const cudnnTensorStruct& state_layout;
  Space weights;
  Space workspace;
  Space reserve;

  std::size_t row(std::size_t sample, std::size_t step) const {
    return sample * x.layout.steps + step;
  }
};

// Empty when cuDNN takes the call, else why not. Scribbles on the workspace.
std::string fault_in(const Call& call);

// A row of a matrix in device memory; nullptr: zeros.
std::vector<double> row_of(const void* memory,
                           cudaDataType_t type,
                           std::size_t row,
                           std::size_t width);

// Computes one step of one sample and replaces its h and c.
void advance(const Call& call,
             const std::vector<double>& x,
             std::vector<double>& h,
             std::vector<double>& c,
             const Kept& kept);

// sum += matrix' times a gradient; `id` as in cudnnGetRNNWeightParams.
void add_transposed(const Call& call,
                    std::size_t id,
                    const float* gradient,
                    std::vector<double>& sum);

// Gradients before the activations, of unit j. `dh` and `dc` become what goes to the step before
// without passing a recurrent matrix.
void step_back(const cudnnRNNStruct& cells,
               std::size_t j,
               double h_before,
               double c_before,
               double& dh,
               double& dc,
               const Kept& kept);

}  // namespace scalestudy::test
