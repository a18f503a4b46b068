// A stack of layers over flat parameter and gradient buffers laid out as gradients become ready.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "workloads/model/layer.h"
#include "workloads/model/zoo.h"
#include "workloads/ops/ops.h"

namespace scalestudy::model {

// Main thread only. Allocates at construction, never in a pass.
template <typename T>
class Network {
 public:
  // batch  samples of a pass on this rank. `ops` and `arena` outlive the network.
  Network(const MlpSpec& spec, std::size_t batch, ops::Ops<T>& ops, device::Arena& arena);

  // Called after each layer's gradients are written, with how many leading elements of gradients()
  // are final.
  using GradientsReady = std::function<void(std::size_t elements)>;

  void initialise(std::uint64_t seed, ops::Purpose purpose);

  // x (B, input width). Returns the output (B, output width); a loss turns it into its own gradient
  // in place before backward().
  ops::Matrix<T> forward(const T* x, const Pass& pass);
  void backward(const T* x, const GradientsReady& ready);

  std::span<T> parameters() const { return parameters_; }
  std::span<T> gradients() const { return gradients_; }

 private:
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

}  // namespace scalestudy::model
