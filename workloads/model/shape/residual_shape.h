// The convolutions of a residual network, from its shape.
#pragma once

#include <optional>
#include <vector>

#include "workloads/model/shape/zoo.h"
#include "workloads/ops/convolution.h"

namespace scalestudy::model {

// A bottleneck block: relu(expand(relu(spatial(relu(reduce(x))))) + shortcut(x)), each convolution
// with batch normalisation; without a shortcut x itself is added.
struct ResidualBlockShape {
  ops::ConvolutionShape reduce;                   // 1 x 1
  ops::ConvolutionShape spatial;                  // 3 x 3, with the block's stride
  ops::ConvolutionShape expand;                   // 1 x 1, to four times the channels
  std::optional<ops::ConvolutionShape> shortcut;  // 1 x 1 where the shape changes

  // The block's convolutions in the order their gradients become ready.
  std::vector<ops::ConvolutionShape> convolutions() const;
};

// The first convolution, for `batch` images of a pass.
ops::ConvolutionShape residual_stem(const ResidualSpec& spec, std::size_t batch);
// The pooling on the stem's output, 3 x 3 with stride 2; nullopt for a small stem.
std::optional<ops::PoolingShape> residual_pooling(const ResidualSpec& spec, std::size_t batch);
std::vector<ResidualBlockShape> residual_blocks(const ResidualSpec& spec, std::size_t batch);

}  // namespace scalestudy::model
