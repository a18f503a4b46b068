// What the trainer trains: a network over flat parameter and gradient buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "workloads/model/layer.h"
#include "workloads/ops/ops.h"

namespace scalestudy::model {

// One rank's inputs, device memory; a model reads the one it was made for.
template <typename T>
struct Input {
  const T* values = nullptr;             // (B, input width)
  const std::int32_t* tokens = nullptr;  // (B, tokens)
};

// Main thread only. Allocates at construction, never in a pass.
template <typename T>
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  virtual void initialise(std::uint64_t seed, ops::Purpose purpose) = 0;

  // Returns the output, one row for each prediction (B of them, or B * tokens), in a transformer as
  // wide as its padded vocabulary; a loss turns it into its own gradient in place before
  // backward().
  virtual ops::Matrix<T> forward(const Input<T>& input, const Pass& pass) = 0;
  virtual void backward(const Input<T>& input, const GradientsReady& ready) = 0;

  // Device memory, in the order gradients become ready; padding (padding.h) is and stays zero.
  virtual std::span<T> parameters() const = 0;
  virtual std::span<T> gradients() const = 0;
};

}  // namespace scalestudy::model
