#include "workloads/model/declared.h"

#include <utility>

#include "workloads/rank/sleeper.h"

namespace scalestudy::model {
namespace {

template <typename T>
class DeclaredModel final : public Model<T> {
 public:
  DeclaredModel(std::span<const Unit> units,
                std::vector<double> unit_s,
                const Layout& layout,
                device::Arena& arena)
      : Model<T>(layout, arena), unit_s_(std::move(unit_s)) {
    rank::sharpen_sleeps();
    for (const Unit& unit : units) {
      this->add_unit(unit.tensors, unit.is_kept);
    }
    this->finish_units();
  }

  void bind(std::size_t /*unit*/, T* /*parameters*/, T* /*gradients*/) override {}

  ops::Matrix<T> forward(const Input<T>& /*input*/, const Pass& /*pass*/) override {
    sleeper_.begin();
    for (std::size_t unit = unit_s_.size(); unit-- > 0;) {
      this->before_forward(unit);
      sleeper_.sleep(unit_s_[unit] / 3.0);
    }
    return {nullptr, 0, 0};
  }

  void backward(const Input<T>& /*input*/, const GradientsReady& ready) override {
    for (std::size_t unit = 0; unit < unit_s_.size(); ++unit) {
      this->before_backward(unit);
      sleeper_.sleep(unit_s_[unit] * 2.0 / 3.0);
      ready(this->units()[unit].tensors);
    }
  }

 private:
  void fill_initial(std::size_t /*unit*/,
                    T* /*host*/,
                    std::uint64_t /*seed*/,
                    ops::Purpose /*purpose*/) const override {}

  std::vector<double> unit_s_;
  rank::Sleeper sleeper_;  // of both passes
};

}  // namespace

template <typename T>
std::unique_ptr<Model<T>> make_declared_model(std::span<const Unit> units,
                                              std::vector<double> unit_s,
                                              const Layout& layout,
                                              device::Arena& arena) {
  return std::make_unique<DeclaredModel<T>>(units, std::move(unit_s), layout, arena);
}

template decltype(make_declared_model<float>) make_declared_model<float>;
template decltype(make_declared_model<double>) make_declared_model<double>;
template decltype(make_declared_model<device::Bf16>) make_declared_model<device::Bf16>;
template decltype(make_declared_model<device::Half>) make_declared_model<device::Half>;

}  // namespace scalestudy::model
