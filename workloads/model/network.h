// A stack of layers over flat parameter and gradient buffers laid out as gradients become ready.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "workloads/model/model.h"

namespace scalestudy::model {

template <typename T>
class Network final : public Model<T> {
 public:
  // layers  first to last; the output width of each is the input width of the next.
  // batch   samples of a pass on this rank. `arena` outlives the network.
  Network(std::vector<std::unique_ptr<Layer<T>>> layers, std::size_t batch, device::Arena& arena);

  void initialise(std::uint64_t seed, ops::Purpose purpose) override;
  ops::Matrix<T> forward(const Input<T>& input, const Pass& pass) override;
  void backward(const Input<T>& input, const GradientsReady& ready) override;

  std::span<T> parameters() const override { return parameters_; }
  std::span<T> gradients() const override { return gradients_; }

 private:
  device::Device& device_;
  std::size_t batch_;
  std::vector<std::unique_ptr<Layer<T>>> layers_;
  std::span<T> parameters_;
  std::span<T> gradients_;
  std::vector<T*> outputs_;  // of each layer, (B, output_width)
  // Gradients of layer inputs, used in turn: layer l reads one while it writes the other.
  T* input_gradients_[2] = {nullptr, nullptr};  // (B, widest hidden layer)
};

extern template class Network<float>;
extern template class Network<double>;
extern template class Network<device::Bf16>;
extern template class Network<device::Half>;

}  // namespace scalestudy::model
