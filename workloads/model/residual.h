// A residual network: stem, bottleneck blocks, average over the image, classifier.
#pragma once

#include <memory>

#include "workloads/model/model.h"
#include "workloads/model/shape/zoo.h"

namespace scalestudy::model {

// batch  images of a pass, a multiple of spec.ghost_batches. `ops` and `arena` outlive the model.
// source: He, Zhang, Ren, Sun, CVPR 2016; as torchvision builds it, stride in the 3 x 3.
template <typename T>
std::unique_ptr<Model<T>> make_residual_network(const ResidualSpec& spec,
                                                std::size_t batch,
                                                ops::Ops<T>& ops,
                                                const Layout& layout,
                                                device::Arena& arena);

}  // namespace scalestudy::model
