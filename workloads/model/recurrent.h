// A classifier of sequences: one LSTM or GRU layer, its last hidden state, a dense layer.
#pragma once

#include <memory>

#include "workloads/model/model.h"
#include "workloads/model/shape/zoo.h"

namespace scalestudy::model {

// batch  sequences of a pass. `ops` and `arena` outlive the model.
template <typename T>
std::unique_ptr<Model<T>> make_recurrent_network(const RecurrentSpec& spec,
                                                 std::size_t batch,
                                                 ops::Ops<T>& ops,
                                                 const Layout& layout,
                                                 device::Arena& arena);

}  // namespace scalestudy::model
