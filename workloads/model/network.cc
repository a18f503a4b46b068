#include "workloads/model/network.h"

#include <algorithm>

namespace scalestudy::model {

template <typename T>
Network<T>::Network(std::vector<std::unique_ptr<Layer<T>>> layers,
                    std::size_t batch,
                    device::Arena& arena)
    : device_(arena.device()), batch_(batch), layers_(std::move(layers)) {
  std::size_t padded_count = 0;
  std::size_t widest_hidden = 0;
  for (const auto& layer : layers_) {
    padded_count += layer->padded_count();
    outputs_.push_back(arena.take<T>(batch * layer->output_width()).data());
    if (layer != layers_.back()) {
      widest_hidden = std::max(widest_hidden, layer->output_width());
    }
  }
  for (T*& buffer : input_gradients_) {
    buffer = arena.take<T>(batch * widest_hidden).data();
  }
  parameters_ = arena.take<T>(padded_count);
  gradients_ = arena.take<T>(padded_count);
  std::size_t offset = 0;
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    (*layer)->bind(parameters_.data() + offset, gradients_.data() + offset);
    offset += (*layer)->padded_count();
  }
}

template <typename T>
void Network<T>::initialise(std::uint64_t seed, ops::Purpose purpose) {
  std::vector<T> host(parameters_.size());
  std::size_t offset = 0;
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    (*layer)->initialise(host.data() + offset, seed, purpose);
    offset += (*layer)->padded_count();
  }
  device_.copy_to_device(parameters_.data(), host.data(), parameters_.size_bytes());
}

template <typename T>
ops::Matrix<T> Network<T>::forward(const Input<T>& input, const Pass& pass) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i]->forward(i == 0 ? input.values : outputs_[i - 1], outputs_[i], pass);
  }
  return {outputs_.back(), batch_, layers_.back()->output_width()};
}

template <typename T>
void Network<T>::backward(const Input<T>& input, const GradientsReady& ready) {
  T* dy = outputs_.back();
  for (std::size_t i = layers_.size(); i-- > 0;) {
    T* dx = i == 0 ? nullptr : input_gradients_[i % 2];
    layers_[i]->backward(i == 0 ? input.values : outputs_[i - 1], outputs_[i], dy, dx, ready);
    dy = dx;
  }
}

template class Network<float>;
template class Network<double>;
template class Network<device::Bf16>;
template class Network<device::Half>;

}  // namespace scalestudy::model
