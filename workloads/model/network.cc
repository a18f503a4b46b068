#include "workloads/model/network.h"

#include <algorithm>

namespace scalestudy::model {

template <typename T>
Network<T>::Network(std::vector<std::unique_ptr<Layer<T>>> layers,
                    std::size_t batch,
                    const Layout& layout,
                    device::Arena& arena)
    : Model<T>(layout, arena),
      batch_(batch),
      layers_(std::move(layers)),
      unit_of_layer_(layers_.size()) {
  std::size_t widest_hidden = 0;
  for (const auto& layer : layers_) {
    outputs_.push_back(arena.take<T>(batch * layer->output_width()).data());
    if (layer != layers_.back()) {
      widest_hidden = std::max(widest_hidden, layer->output_width());
    }
  }
  for (T*& buffer : input_gradients_) {
    buffer = arena.take<T>(batch * widest_hidden).data();
  }
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (layers_[i]->padded_count() > 0) {
      unit_of_layer_[i] = layer_of_unit_.size();
      layer_of_unit_.push_back(i);
      this->add_unit(layers_[i]->padded_count(), false);
    }
  }
  this->finish_units();
}

template <typename T>
void Network<T>::bind(std::size_t unit, T* parameters, T* gradients) {
  layers_[layer_of_unit_[unit]]->bind(parameters, gradients);
}

template <typename T>
void Network<T>::fill_initial(std::size_t unit,
                              T* host,
                              std::uint64_t seed,
                              ops::Purpose purpose) const {
  layers_[layer_of_unit_[unit]]->initialise(host, seed, purpose);
}

template <typename T>
ops::Matrix<T> Network<T>::forward(const Input<T>& input, const Pass& pass) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i]->padded_count() > 0) {
      this->before_forward(unit_of_layer_[i]);
    }
    layers_[i]->forward(i == 0 ? input.values : outputs_[i - 1], outputs_[i], pass);
  }
  return {outputs_.back(), batch_, layers_.back()->output_width()};
}

template <typename T>
void Network<T>::backward(const Input<T>& input, const GradientsReady& ready) {
  T* dy = this->ends().output_gradient != nullptr ? this->ends().output_gradient : outputs_.back();
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (layers_[i]->padded_count() > 0) {
      this->before_backward(unit_of_layer_[i]);
    }
    T* dx = i == 0 ? this->ends().input_gradient : input_gradients_[i % 2];
    layers_[i]->backward(i == 0 ? input.values : outputs_[i - 1], outputs_[i], dy, dx, ready);
    dy = dx;
  }
}

template class Network<float>;
template class Network<double>;
template class Network<device::Bf16>;
template class Network<device::Half>;

}  // namespace scalestudy::model
