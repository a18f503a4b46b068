// The loss of a micro-batch, and the gradient of it that backward starts from.
#pragma once

#include "workloads/ops/ops.h"
#include "workloads/train/input/dataset.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Adds the micro-batch's part of the mean loss over the global batch to `loss`. The output becomes
// the gradient of that mean, so that gradients only need to be summed over micro-steps and ranks.
// Where ranks update alone, the mean is over the rank's own batch. Does nothing if ranks sleep,
// because there is no output.
// - loss: one element, device memory.
// - loss_scale: multiplies the gradient; nullptr: it is not scaled.
template <typename T>
void add_loss(const Options& options,
              ops::Ops<T>& ops,
              ops::Matrix<T> output,
              const Batch<T>& batch,
              double* loss,
              ops::LossScale* loss_scale) {
  if (options.declared) {
    return;
  }
  const model::SampleShape shape = model::sample_shape(options.model);
  const std::size_t samples =
      options.updates_alone ? options.batch_per_device : options.batch_global;
  const double scale = 1.0 / (static_cast<double>(samples * shape.rows));
  if (options.loss == Loss::kCrossEntropy) {
    ops.softmax_cross_entropy(output, {batch.labels, shape.output_width}, scale, loss, loss_scale);
  } else {
    ops.mean_squared_error(output, batch.targets, scale, loss, loss_scale);
  }
}

}  // namespace scalestudy::train
