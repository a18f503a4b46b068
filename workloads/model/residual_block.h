// Convolutions with batch normalisation, alone and as bottleneck blocks.
#pragma once

#include <memory>
#include <span>

#include "workloads/model/layer.h"
#include "workloads/model/shape/residual_shape.h"
#include "workloads/ops/ops.h"

namespace scalestudy::model {

// How the layers of one network are normalised and numbered.
struct ResidualOptions {
  std::size_t ghost_batches = 1;  // parts in which a batch is normalised
  std::uint32_t first_index = 0;  // keys the initial weights; each convolution takes one index
};

// Gradients on their way through a block; the blocks of a network share them.
template <typename T>
struct ResidualScratch {
  std::span<T> wide;         // as large as the output of any expand or the input of any shortcut
  std::span<T> narrow;       // as large as the output of any spatial
  std::span<T> narrow_wide;  // as large as the output of any reduce
};

// y = relu(norm(convolution(x))), a network's first layer: it has no gradient of its input. For all
// layers here, `ops` and `arena` outlive the layer.
template <typename T>
std::unique_ptr<Layer<T>> make_stem(const ops::ConvolutionShape& shape,
                                    const ResidualOptions& options,
                                    ops::Ops<T>& ops,
                                    device::Arena& arena);

template <typename T>
std::unique_ptr<Layer<T>> make_residual_block(const ResidualBlockShape& shape,
                                              const ResidualOptions& options,
                                              const ResidualScratch<T>& scratch,
                                              ops::Ops<T>& ops,
                                              device::Arena& arena);

}  // namespace scalestudy::model
