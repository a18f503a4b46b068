// From a model's shape to the model.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/model/model.h"
#include "workloads/model/shape/zoo.h"

namespace scalestudy::model {

// - batch: samples of a pass on this rank. `ops` and `arena` outlive the model.
template <typename T>
std::unique_ptr<Model<T>> make_model(const ModelSpec& spec,
                                     std::size_t batch,
                                     ops::Ops<T>& ops,
                                     device::Arena& arena,
                                     const Layout& layout = {});

}  // namespace scalestudy::model
