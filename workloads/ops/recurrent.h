// One layer of an LSTM or GRU over whole sequences, with cuDNN's and PyTorch's two biases.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>

#include "workloads/device/interface.h"

namespace scalestudy::ops {

enum class Cell { kLstm, kGru };  // GRU: the reset gate applies after the recurrent product

struct RecurrentShape {
  Cell cell = Cell::kLstm;
  std::size_t batch = 0;
  std::size_t steps = 0;  // of a sequence
  std::size_t input_width = 0;
  std::size_t hidden_width = 0;

  std::size_t gates() const { return cell == Cell::kLstm ? 4 : 3; }
  // Elements of each tensor of RecurrentWeights, in their order.
  std::array<std::size_t, 4> tensor_elements() const {
    const std::size_t width = gates() * hidden_width;
    return {width * input_width, width * hidden_width, width, width};
  }
  std::size_t parameter_count() const {
    const auto elements = tensor_elements();
    return std::accumulate(elements.begin(), elements.end(), std::size_t{0});
  }
};

// Input weights (gates*h, input), recurrent weights (gates*h, h), input bias (gates*h), recurrent
// bias (gates*h), or their gradients. Gates in PyTorch's order: input, forget, cell, output; reset,
// update, new.
template <typename U>
using RecurrentWeights = std::array<U*, 4>;

//   x (B, steps, input_width); y (B, h), the last hidden state; the first one is zero.
template <typename T>
class Recurrent : public device::Interface {
 public:
  // Keeps what backward() needs.
  virtual void forward(const T* x, const RecurrentWeights<T>& weights, T* y) = 0;
  // Call it once after each forward(), whose kept data it may overwrite. dx is nullptr if it is not
  // needed.
  virtual void backward(const T* x,
                        const RecurrentWeights<T>& weights,
                        const T* dy,
                        const RecurrentWeights<T>& dweights,
                        T* dx) = 0;
};

}  // namespace scalestudy::ops
