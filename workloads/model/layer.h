// One layer of a network: forward, and a backward that tells when gradients may travel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "workloads/device/interface.h"
#include "workloads/model/shape/padding.h"
#include "workloads/ops/philox.h"

namespace scalestudy::model {

// The circumstances of a pass.
struct Pass {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t first_sample = 0;  // of this rank's batch within the step's global batch
  bool is_training = true;         // false: no dropout, running statistics
};

// Called during backward when the next `elements` of the flat gradient buffer are final.
using GradientsReady = std::function<void(std::size_t elements)>;

// A layer for B samples, a number fixed at construction. Widths are elements of a sample.
// Parameters and gradients are slices of the model's flat buffers; a layer made of layers lays
// theirs out in the order backward() finishes them.
template <typename T>
class Layer : public device::Interface {
 public:
  virtual std::size_t input_width() const = 0;
  virtual std::size_t output_width() const = 0;
  // Elements of the flat buffers that the layer takes: its tensors, each padded_count().
  virtual std::size_t padded_count() const = 0;

  // Gives the layer its parameters and gradients: (padded_count()) each, device memory, zero where
  // no tensor lies; they live as long as the layer.
  virtual void bind(T* parameters, T* gradients) = 0;
  // Writes the initial parameters: `host` (padded_count()), all zero before, is copied to the
  // device by the caller.
  virtual void initialise(T* host, std::uint64_t seed, ops::Purpose purpose) const = 0;

  // x (B, input_width) -> y (B, output_width)
  virtual void forward(const T* x, T* y, const Pass& pass) = 0;

  // Writes the gradients of the parameters, calls `ready` for all of them in order, and writes dx
  // (B, input_width) unless it is nullptr. dy (B, output_width) is the gradient of y and may be
  // overwritten.
  virtual void backward(const T* x, const T* y, T* dy, T* dx, const GradientsReady& ready) = 0;
};

}  // namespace scalestudy::model
