// A model that computes nothing: its passes sleep for a declared time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "workloads/model/model.h"

namespace scalestudy::model {

// Makes a model whose parameters and gradients are as large as those of the model it stands for,
// and stay zero; its output is empty.
// - units: of that model, in the same layout.
// - unit_s: the time of forward and backward of each unit together, s, >= 0. Forward takes a third,
//   backward two thirds, as their FLOP (zoo.h).
template <typename T>
std::unique_ptr<Model<T>> make_declared_model(std::span<const Unit> units,
                                              std::vector<double> unit_s,
                                              const Layout& layout,
                                              device::Arena& arena);

}  // namespace scalestudy::model
