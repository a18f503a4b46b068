#include "workloads/model/network.h"

#include <algorithm>

#include "workloads/model/dense.h"

namespace scalestudy::model {

template <typename T>
Network<T>::Network(const MlpSpec& spec, std::size_t batch, ops::Ops<T>& ops, device::Arena& arena)
    : batch_(batch),
      parameters_(arena.take<T>(model::parameter_count(spec))),
      gradients_(arena.take<T>(model::parameter_count(spec))) {
  const std::size_t layer_count = spec.widths.size() - 1;
  std::size_t widest_hidden = 0;
  for (std::size_t layer = 0; layer < layer_count; ++layer) {
    const bool is_last = layer + 1 == layer_count;
    const DenseShape shape{.batch = batch,
                           .input_width = spec.widths[layer],
                           .output_width = spec.widths[layer + 1],
                           .has_activation = !is_last,
                           .dropout = spec.dropout,
                           .layer_index = static_cast<std::uint32_t>(layer),
                           .needs_input_gradient = layer > 0};
    layers_.push_back(make_dense<T>(shape, ops, arena));
    outputs_.push_back(arena.take<T>(batch * shape.output_width).data());
    if (!is_last) {
      widest_hidden = std::max(widest_hidden, shape.output_width);
    }
  }
  for (T*& buffer : input_gradients_) {
    buffer = arena.take<T>(batch * widest_hidden).data();
  }
  std::size_t offset = 0;
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    (*layer)->bind(parameters_.data() + offset, gradients_.data() + offset);
    offset += (*layer)->parameter_count();
  }
}

template <typename T>
void Network<T>::initialise(std::uint64_t seed, ops::Purpose purpose) {
  for (const auto& layer : layers_) {
    layer->initialise(seed, purpose);
  }
}

template <typename T>
ops::Matrix<T> Network<T>::forward(const T* x, const Pass& pass) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i]->forward(i == 0 ? x : outputs_[i - 1], outputs_[i], pass);
  }
  return {outputs_.back(), batch_, layers_.back()->output_width()};
}

template <typename T>
void Network<T>::backward(const T* x, const GradientsReady& ready) {
  T* dy = outputs_.back();
  std::size_t ready_elements = 0;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    Layer<T>& layer = *layers_[i];
    layer.backward_parameters(i == 0 ? x : outputs_[i - 1], outputs_[i], dy);
    ready_elements += layer.parameter_count();
    ready(ready_elements);
    if (i > 0) {
      T* dx = input_gradients_[i % 2];
      layer.backward_input(dy, dx);
      dy = dx;
    }
  }
}

template class Network<float>;
template class Network<double>;

}  // namespace scalestudy::model
