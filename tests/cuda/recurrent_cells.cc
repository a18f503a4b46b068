#include "tests/cuda/recurrent_cells.h"

#include <cmath>
#include <cstring>

namespace scalestudy::test {
namespace {

// matrix (width, columns) times a vector, with the bias; `id` as in cudnnGetRNNWeightParams.
std::vector<double> product(const Call& call, std::size_t id, const std::vector<double>& vector) {
  const cudnnRNNStruct& cells = call.cells;
  std::vector<double> result(cells.width);
  for (std::size_t j = 0; j < cells.width; ++j) {
    result[j] = load(call.weights.memory, cells.type, cells.bias_at(id) + j);
    for (std::size_t i = 0; i < vector.size(); ++i) {
      result[j] +=
          vector[i] *
          load(call.weights.memory, cells.type, cells.matrix_at(id) + j * vector.size() + i);
    }
  }
  return result;
}

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

}  // namespace

std::string fault_in(const Call& call) {
  const cudnnRNNStruct& cells = call.cells;
  if (call.handle == nullptr || !is_known(call.handle->stream)) {
    return "there is no handle with a stream";
  }
  const auto& [x, x_memory] = call.x;
  const auto& [y, y_memory] = call.y;
  if (x.width != cells.inputs || y.width != cells.width || x.rows() != y.rows() ||
      x.type != cells.type || y.type != cells.type ||
      call.state_layout.elements() != x.batch * cells.width) {
    return "sizes or types of sequences do not fit the cells";
  }
  if (call.weights.bytes != cells.weight_bytes() || call.workspace.bytes < kWorkspaceBytes ||
      call.reserve.bytes < x.rows() * kept_count(cells) * sizeof(float)) {
    return "the weights, the workspace or the reserve are not of their size";
  }
  for (const auto& [memory, bytes] : {Space{call.lengths, x.batch * sizeof(std::int32_t)},
                                      Space{x_memory, x.bytes()},
                                      Space{y_memory, y.bytes()},
                                      call.weights,
                                      call.workspace,
                                      call.reserve}) {
    if (!is_on_device(memory, bytes)) {
      return "an argument is not device memory of its size";
    }
  }
  for (std::size_t sample = 0; sample < x.batch; ++sample) {
    if (call.lengths[sample] != static_cast<std::int32_t>(x.steps)) {
      return "the stand-in has sequences of one length only";
    }
  }
  std::memset(const_cast<void*>(call.workspace.memory), 0xA5, kWorkspaceBytes);
  return "";
}

void add_transposed(const Call& call,
                    std::size_t id,
                    const float* gradient,
                    std::vector<double>& sum) {
  const cudnnRNNStruct& cells = call.cells;
  for (std::size_t j = 0; j < cells.width; ++j) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += double{gradient[j]} *
                load(call.weights.memory, cells.type, cells.matrix_at(id) + j * sum.size() + i);
    }
  }
}

std::vector<double> row_of(const void* memory,
                           cudaDataType_t type,
                           std::size_t row,
                           std::size_t width) {
  std::vector<double> values(width);
  for (std::size_t i = 0; i < width; ++i) {
    values[i] = memory == nullptr ? 0.0 : load(memory, type, row * width + i);
  }
  return values;
}

void advance(const Call& call,
             const std::vector<double>& x,
             std::vector<double>& h,
             std::vector<double>& c,
             const Kept& kept) {
  const std::size_t gates = call.cells.gates();
  const std::size_t width = call.cells.width;
  std::vector<std::vector<double>> input;
  std::vector<std::vector<double>> recurrent;
  for (std::size_t gate = 0; gate < gates; ++gate) {
    input.push_back(product(call, gate, x));
    recurrent.push_back(product(call, gates + gate, h));
  }
  for (std::size_t j = 0; j < width; ++j) {
    const auto sum = [&](std::size_t gate) { return input[gate][j] + recurrent[gate][j]; };
    const double first = sigmoid(sum(0));
    const double second = sigmoid(sum(1));
    kept.activation[j] = static_cast<float>(first);
    kept.activation[width + j] = static_cast<float>(second);
    if (call.cells.is_lstm) {
      const double candidate = std::tanh(sum(2));
      const double output = sigmoid(sum(3));
      c[j] = second * c[j] + first * candidate;
      h[j] = output * std::tanh(c[j]);
      kept.activation[2 * width + j] = static_cast<float>(candidate);
      kept.activation[3 * width + j] = static_cast<float>(output);
      kept.cell[j] = static_cast<float>(c[j]);
    } else {
      const double candidate = std::tanh(input[2][j] + first * recurrent[2][j]);
      h[j] = (1.0 - second) * candidate + second * h[j];
      kept.activation[2 * width + j] = static_cast<float>(candidate);
      kept.cell[j] = static_cast<float>(recurrent[2][j]);
    }
  }
}

void step_back(const cudnnRNNStruct& cells,
               std::size_t j,
               double h_before,
               double c_before,
               double& dh,
               double& dc,
               const Kept& kept) {
  const std::size_t width = cells.width;
  const auto gate = [&](std::size_t index) -> double { return kept.activation[index * width + j]; };
  const auto set = [&](std::size_t index, double before, double factor = 1.0) {
    kept.dinput[index * width + j] = static_cast<float>(before);
    kept.drecurrent[index * width + j] = static_cast<float>(before * factor);
  };
  const auto slope = [&](std::size_t index) { return gate(index) * (1.0 - gate(index)); };
  const double tangent_slope = 1.0 - gate(2) * gate(2);
  if (cells.is_lstm) {
    const double tangent = std::tanh(double{kept.cell[j]});
    const double of_cell = dc + dh * gate(3) * (1.0 - tangent * tangent);
    set(0, of_cell * gate(2) * slope(0));
    set(1, of_cell * c_before * slope(1));
    set(2, of_cell * gate(0) * tangent_slope);
    set(3, dh * tangent * slope(3));
    dc = of_cell * gate(1);
    dh = 0.0;
  } else {
    const double candidate = dh * (1.0 - gate(1)) * tangent_slope;
    set(0, candidate * kept.cell[j] * slope(0));
    set(1, dh * (h_before - gate(2)) * slope(1));
    set(2, candidate, gate(0));
    dh *= gate(1);
  }
}

}  // namespace scalestudy::test
