#include "workloads/model/make_model.h"

#include "workloads/model/dense.h"
#include "workloads/model/layer_list.h"
#include "workloads/model/network.h"
#include "workloads/model/recurrent.h"
#include "workloads/model/residual.h"
#include "workloads/model/transformer.h"

namespace scalestudy::model {
namespace {

template <typename T>
std::unique_ptr<Model<T>> make(const MlpSpec& spec,
                               std::size_t batch,
                               ops::Ops<T>& ops,
                               const Layout& layout,
                               device::Arena& arena) {
  LayerList<T> layers(layout.units, spec.widths.size() - 1);
  for (std::size_t layer = 0; layer + 1 < spec.widths.size(); ++layer) {
    layers.add_unit([&] {
      return make_dense<T>({.batch = batch,
                            .input_width = spec.widths[layer],
                            .output_width = spec.widths[layer + 1],
                            .has_activation = layer + 2 < spec.widths.size(),
                            .dropout = spec.dropout,
                            .layer_index = static_cast<std::uint32_t>(layer),
                            .needs_input_gradient = layer > 0},
                           ops,
                           arena);
    });
  }
  return std::make_unique<Network<T>>(layers.take(), batch, layout, arena);
}

template <typename T>
std::unique_ptr<Model<T>> make(const TransformerSpec& spec,
                               std::size_t batch,
                               ops::Ops<T>& ops,
                               const Layout& layout,
                               device::Arena& arena) {
  return make_transformer(spec, batch, ops, layout, arena);
}

template <typename T>
std::unique_ptr<Model<T>> make(const ResidualSpec& spec,
                               std::size_t batch,
                               ops::Ops<T>& ops,
                               const Layout& layout,
                               device::Arena& arena) {
  return make_residual_network(spec, batch, ops, layout, arena);
}

template <typename T>
std::unique_ptr<Model<T>> make(const RecurrentSpec& spec,
                               std::size_t batch,
                               ops::Ops<T>& ops,
                               const Layout& layout,
                               device::Arena& arena) {
  return make_recurrent_network(spec, batch, ops, layout, arena);
}

}  // namespace

template <typename T>
std::unique_ptr<Model<T>> make_model(const ModelSpec& spec,
                                     std::size_t batch,
                                     ops::Ops<T>& ops,
                                     device::Arena& arena,
                                     const Layout& layout) {
  return std::visit([&](const auto& shape) { return make<T>(shape, batch, ops, layout, arena); },
                    spec.shape);
}

template decltype(make_model<float>) make_model<float>;
template decltype(make_model<double>) make_model<double>;
template decltype(make_model<device::Bf16>) make_model<device::Bf16>;
template decltype(make_model<device::Half>) make_model<device::Half>;

}  // namespace scalestudy::model
