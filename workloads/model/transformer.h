// A decoder-only language model: embedding, blocks, output logits of every token.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/model/model.h"
#include "workloads/model/shape/zoo.h"

namespace scalestudy::model {

// The model reads tokens; its output is (B * tokens, vocabulary). `ops` and `arena` outlive it.
template <typename T>
std::unique_ptr<Model<T>> make_transformer(const TransformerSpec& spec,
                                           std::size_t batch,
                                           ops::Ops<T>& ops,
                                           const Layout& layout,
                                           device::Arena& arena);

}  // namespace scalestudy::model
