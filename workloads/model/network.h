// A stack of layers; each layer with parameters is a unit.
#pragma once

#include <memory>
#include <vector>

#include "workloads/model/model.h"

namespace scalestudy::model {

template <typename T>
class Network final : public Model<T> {
 public:
  // layers  first to last; the output width of each is the input width of the next.
  // batch   samples of a pass on this rank. `arena` outlives the network.
  Network(std::vector<std::unique_ptr<Layer<T>>> layers,
          std::size_t batch,
          const Layout& layout,
          device::Arena& arena);

  void bind(std::size_t unit, T* parameters, T* gradients) override;
  ops::Matrix<T> forward(const Input<T>& input, const Pass& pass) override;
  void backward(const Input<T>& input, const GradientsReady& ready) override;

 private:
  void fill_initial(std::size_t unit,
                    T* host,
                    std::uint64_t seed,
                    ops::Purpose purpose) const override;

  std::size_t batch_;
  std::vector<std::unique_ptr<Layer<T>>> layers_;
  std::vector<std::size_t> layer_of_unit_;
  std::vector<std::size_t> unit_of_layer_;  // meaningless for a layer without parameters
  std::vector<T*> outputs_;                 // of each layer, (B, output_width)
  // Gradients of layer inputs, used alternately: layer l reads one while it writes the other.
  T* input_gradients_[2] = {nullptr, nullptr};  // (B, widest hidden layer)
};

extern template class Network<float>;
extern template class Network<double>;
extern template class Network<device::Bf16>;
extern template class Network<device::Half>;

}  // namespace scalestudy::model
