#include "workloads/model/recurrent.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/model/dense.h"
#include "workloads/model/layer_list.h"
#include "workloads/model/network.h"
#include "workloads/model/uniform.h"

namespace scalestudy::model {
namespace {

template <typename T>
class RecurrentLayer final : public Layer<T> {
 public:
  RecurrentLayer(const ops::RecurrentShape& shape, ops::Ops<T>& ops, device::Arena& arena)
      : shape_(shape), recurrent_(ops.make_recurrent(shape, arena)) {}

  std::size_t input_width() const override { return shape_.steps * shape_.input_width; }
  std::size_t output_width() const override { return shape_.hidden_width; }
  std::size_t padded_count() const override {
    std::size_t count = 0;
    for (const std::size_t elements : shape_.tensor_elements()) {
      count += model::padded_count<T>(elements);
    }
    return count;
  }

  void bind(T* parameters, T* gradients) override {
    std::size_t offset = 0;
    for (std::size_t tensor = 0; tensor < weights_.size(); ++tensor) {
      weights_[tensor] = parameters + offset;
      dweights_[tensor] = gradients + offset;
      offset += model::padded_count<T>(shape_.tensor_elements()[tensor]);
    }
  }

  // As torch.nn.LSTM and GRU: everything uniform, biases too.
  void initialise(T* host, std::uint64_t seed, ops::Purpose purpose) const override {
    std::vector<T> dense(shape_.parameter_count());
    fill_uniform(std::span(dense),
                 1.0 / std::sqrt(static_cast<double>(shape_.hidden_width)),
                 seed,
                 purpose,
                 0);
    const T* values = dense.data();
    for (const std::size_t elements : shape_.tensor_elements()) {
      std::copy_n(values, elements, host);
      values += elements;
      host += model::padded_count<T>(elements);
    }
  }

  void forward(const T* x, T* y, const Pass& /*pass*/) override {
    recurrent_->forward(x, weights_, y);
  }

  void backward(const T* x, const T* /*y*/, T* dy, T* dx, const GradientsReady& ready) override {
    recurrent_->backward(x, weights_, dy, dweights_, dx);
    ready(padded_count());
  }

 private:
  ops::RecurrentShape shape_;
  std::unique_ptr<ops::Recurrent<T>> recurrent_;
  ops::RecurrentWeights<T> weights_{};
  ops::RecurrentWeights<T> dweights_{};
};

}  // namespace

template <typename T>
std::unique_ptr<Model<T>> make_recurrent_network(const RecurrentSpec& spec,
                                                 std::size_t batch,
                                                 ops::Ops<T>& ops,
                                                 const Layout& layout,
                                                 device::Arena& arena) {
  const ops::RecurrentShape shape{.cell = spec.is_gru ? ops::Cell::kGru : ops::Cell::kLstm,
                                  .batch = batch,
                                  .steps = spec.steps,
                                  .input_width = spec.input_width,
                                  .hidden_width = spec.width};
  LayerList<T> layers(layout.units, 2);
  layers.add_unit([&] { return std::make_unique<RecurrentLayer<T>>(shape, ops, arena); });
  layers.add_unit([&] {
    return make_dense<T>({.batch = batch,
                          .input_width = spec.width,
                          .output_width = spec.classes,
                          .has_activation = false,
                          .dropout = 0.0,
                          .layer_index = 1,
                          .needs_input_gradient = true},
                         ops,
                         arena);
  });
  return std::make_unique<Network<T>>(layers.take(), batch, layout, arena);
}

template decltype(make_recurrent_network<float>) make_recurrent_network<float>;
template decltype(make_recurrent_network<double>) make_recurrent_network<double>;
template decltype(make_recurrent_network<device::Bf16>) make_recurrent_network<device::Bf16>;
template decltype(make_recurrent_network<device::Half>) make_recurrent_network<device::Half>;

}  // namespace scalestudy::model
