#include "workloads/model/model.h"

namespace scalestudy::model {

template <typename T>
void Model<T>::add_unit(std::size_t tensors, bool is_kept) {
  const std::size_t offset = units_.empty() ? 0 : element_count();
  const std::size_t multiple = layout_.unit_multiple;
  units_.push_back({tensors, (tensors + multiple - 1) / multiple * multiple, offset, is_kept});
}

template <typename T>
void Model<T>::finish_units() {
  if (layout_.has_parameters) {
    parameters_ = arena_.take<T>(element_count());
  }
  if (layout_.has_gradients) {
    gradients_ = arena_.take<T>(element_count());
  }
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    bind(unit,
         layout_.has_parameters ? &parameters_[units_[unit].offset] : nullptr,
         layout_.has_gradients ? &gradients_[units_[unit].offset] : nullptr);
  }
}

template <typename T>
std::vector<T> Model<T>::initial_values(std::uint64_t seed, ops::Purpose purpose) const {
  std::vector<T> host(element_count());
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    fill_initial(unit, &host[units_[unit].offset], seed, purpose);
  }
  return host;
}

template <typename T>
void Model<T>::initialise(std::uint64_t seed, ops::Purpose purpose) {
  const std::vector<T> host = initial_values(seed, purpose);
  arena_.device().copy_to_device(parameters_.data(), host.data(), parameters_.size_bytes());
}

template class Model<float>;
template class Model<double>;
template class Model<device::Bf16>;
template class Model<device::Half>;

}  // namespace scalestudy::model
