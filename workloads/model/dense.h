// y = dropout(relu(x W + b)), or without the activation in a network's last layer.
#pragma once

#include <memory>

#include "workloads/model/layer.h"
#include "workloads/ops/ops.h"

namespace scalestudy::model {

struct DenseShape {
  std::size_t batch;
  std::size_t input_width;
  std::size_t output_width;
  bool has_activation;
  double dropout;             // in [0, 1), used with the activation
  std::uint32_t layer_index;  // keys the dropout masks and initial weights
  bool needs_input_gradient;  // false in the first layer
};

// `ops` and `arena` outlive the layer.
template <typename T>
std::unique_ptr<Layer<T>> make_dense(const DenseShape& shape,
                                     ops::Ops<T>& ops,
                                     device::Arena& arena);

}  // namespace scalestudy::model
