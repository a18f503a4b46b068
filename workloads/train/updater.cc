#include "workloads/train/updater.h"

#include <cmath>
#include <type_traits>
#include <vector>

#include "workloads/train/learning_rate.h"

namespace scalestudy::train {
namespace {

std::size_t state_count(const std::vector<sync::Part>& parts) {
  std::size_t count = 0;
  for (const sync::Part& part : parts) {
    count += part.count;
  }
  return count;
}

}  // namespace

template <typename T>
Updater<T>::Updater(const Options& options,
                    ops::Ops<T>& ops,
                    device::Arena& arena,
                    const std::vector<sync::Part>& parts,
                    std::span<T> parameters,
                    std::span<const T> gradients)
    : options_(options),
      ops_(ops),
      device_(arena.device()),
      parts_(parts),
      parameters_(parameters),
      gradients_(gradients),
      velocity_(arena.take<Real>(state_count(parts))) {
  if (options.optimizer == Optimizer::kAdamW) {
    second_moment_ = arena.take<Real>(velocity_.size());
  }
  if constexpr (!std::is_same_v<T, Real>) {
    master_ = arena.take<Real>(velocity_.size());
  }
  if (options.clip_norm > 0.0) {
    square_sum_ = arena.take<double>(1).data();
  }
  if (options.precision == Precision::kFp16) {
    const ops::LossScale initial;
    loss_scale_ = arena.take<ops::LossScale>(1).data();
    device_.copy_to_device(loss_scale_, &initial, sizeof(initial));
  }
}

template <typename T>
void Updater<T>::take_initial() {
  if (master_.empty()) {
    return;
  }
  for (const sync::Part& part : parts_) {
    std::vector<T> rounded(part.count);
    device_.copy_to_host(rounded.data(), &parameters_[part.parameters], part.count * sizeof(T));
    const std::vector<Real> values(rounded.begin(), rounded.end());
    device_.copy_to_device(&master_[part.state], values.data(), part.count * sizeof(Real));
  }
}

template <typename T>
std::vector<std::span<std::byte>> Updater<T>::state() const {
  std::vector<std::span<std::byte>> blocks;
  for (const std::span<Real> values : {velocity_, second_moment_, master_}) {
    blocks.push_back(std::as_writable_bytes(values));
  }
  if (loss_scale_ != nullptr) {
    blocks.push_back(std::as_writable_bytes(std::span(loss_scale_, 1)));
  }
  return blocks;
}

template <typename T>
void Updater<T>::begin(std::size_t index) {
  index_ = index;
  if (loss_scale_ != nullptr) {
    // The sums are the same on every rank, and so is what it finds.
    ops_.find_overflow(gradients_, loss_scale_);
  }
  if (square_sum_ != nullptr) {
    device_.clear(square_sum_, sizeof(double));
    for (const sync::Part& part : parts_) {
      ops_.add_squares(gradients_.subspan(part.gradients, part.count), square_sum_);
    }
  }
}

template <typename T>
void Updater<T>::update(const sync::Part& part) {
  if (options_.declared) {
    return;
  }
  ops::Weights<T> weights;
  weights.gradients = &gradients_[part.gradients];
  weights.factor = {loss_scale_, square_sum_, options_.clip_norm};
  if constexpr (std::is_same_v<T, Real>) {
    weights.values = parameters_.subspan(part.parameters, part.count);
  } else {
    weights.values = master_.subspan(part.state, part.count);
    weights.rounded = &parameters_[part.parameters];
  }
  const auto rate = static_cast<Real>(learning_rate(options_, index_));
  const auto decay = static_cast<Real>(options_.weight_decay);
  if (options_.optimizer == Optimizer::kSgd) {
    const ops::Sgd<Real> rule{rate, static_cast<Real>(options_.momentum), decay};
    ops_.update(rule, weights, &velocity_[part.state]);
    return;
  }
  // Every step is an update where no loss scaling leaves one out; there the update counts itself.
  const auto number = static_cast<double>(index_ + 1);
  const ops::AdamW<Real> rule{
      .learning_rate = rate,
      .beta1 = static_cast<Real>(kBeta1),
      .beta2 = static_cast<Real>(kBeta2),
      .epsilon = static_cast<Real>(1e-8),
      .weight_decay = decay,
      .m_correction = static_cast<Real>(1.0 / (1.0 - std::pow(kBeta1, number))),
      .v_correction = static_cast<Real>(1.0 / (1.0 - std::pow(kBeta2, number)))};
  ops_.update(rule, weights, &velocity_[part.state], &second_moment_[part.state]);
}

template <typename T>
void Updater<T>::end() {
  if (loss_scale_ != nullptr) {
    ops_.advance(loss_scale_);
  }
}

template <typename T>
std::span<device::Real<T>> Updater<T>::values() {
  if constexpr (std::is_same_v<T, Real>) {
    return parameters_;
  } else {
    return master_;
  }
}

template <typename T>
void Updater<T>::average(std::size_t ranks) {
  ops_.scale(values(), static_cast<Real>(1.0 / static_cast<double>(ranks)));
  if constexpr (!std::is_same_v<T, Real>) {
    ops_.unpack({master_.data(), device::kDataType<Real>}, parameters_);
  }
}

template class Updater<float>;
template class Updater<double>;
template class Updater<device::Bf16>;
template class Updater<device::Half>;

}  // namespace scalestudy::train
