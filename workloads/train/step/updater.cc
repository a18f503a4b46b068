#include "workloads/train/step/updater.h"

#include <cmath>
#include <type_traits>
#include <vector>

#include "workloads/train/layout/layout.h"
#include "workloads/train/options/learning_rate.h"

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
                    std::span<const T> gradients,
                    HostSide<T>* host)
    : options_(options),
      ops_(ops),
      device_(arena.device()),
      parts_(parts),
      parameters_(parameters),
      gradients_(gradients),
      host_(host) {
  device::Arena& own = host == nullptr ? arena : *host->arena;
  velocity_ = own.take<Real>(state_count(parts));
  if (options.optimizer == Optimizer::kAdamW) {
    second_moment_ = own.take<Real>(velocity_.size());
  }
  constexpr bool is_rounded = !std::is_same_v<T, Real>;
  if (is_rounded || host != nullptr) {
    master_ = own.take<Real>(velocity_.size());
  }
  if (host != nullptr) {
    sent_down_ = own.take<T>(velocity_.size());
    rounded_ = is_rounded ? own.take<T>(velocity_.size()) : rounded_;
  }
  if (options.clip_norm > 0.0 || sums_squares(options)) {
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
    device::Device& own = host_ == nullptr ? device_ : *host_->memory;
    own.copy_to_device(&master_[part.state], values.data(), part.count * sizeof(Real));
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
  if (loss_scale_ != nullptr && !sums_squares(options_)) {
    // The sums are the same on every rank, and so is what it finds.
    ops_.find_overflow(gradients_, loss_scale_);
  }
  if (square_sum_ != nullptr) {
    device_.clear(square_sum_, sizeof(double));
    for (const sync::Part& part : parts_) {
      if (part.is_in_norm) {
        ops_.add_squares(gradients_.subspan(part.gradients, part.count), square_sum_);
      }
    }
  }
}

// Squares of fp16 do not overflow in doubles: their sum is finite where all gradients are.
template <typename T>
void Updater<T>::take_sum_of_parts() {
  if (loss_scale_ != nullptr) {
    ops_.find_overflow(square_sum_, loss_scale_);
  }
}

template <typename T>
void Updater<T>::update(const sync::Part& part) {
  if (options_.declared) {
    return;
  }
  ops::Weights<T> weights;
  weights.gradients = &gradients_[part.gradients];
  weights.factor = {
      loss_scale_, options_.clip_norm > 0.0 ? square_sum_ : nullptr, options_.clip_norm};
  if (host_ != nullptr) {
    update_on_host(part, weights);
    return;
  }
  if constexpr (std::is_same_v<T, Real>) {
    weights.values = parameters_.subspan(part.parameters, part.count);
  } else {
    weights.values = master_.subspan(part.state, part.count);
    weights.rounded = &parameters_[part.parameters];
  }
  update_on(ops_, weights, part.state);
}

template <typename T>
void Updater<T>::update_on_host(const sync::Part& part, ops::Weights<T> weights) {
  const std::size_t bytes = part.count * sizeof(T);
  T* const gradients = &sent_down_[part.state];
  device_.copy_to_host(gradients, weights.gradients, bytes);
  weights.gradients = gradients;
  if (square_sum_ != nullptr) {
    device_.copy_to_host(&host_square_sum_, square_sum_, sizeof(double));
    weights.factor.square_sum = &host_square_sum_;
  }
  weights.values = master_.subspan(part.state, part.count);
  weights.rounded = rounded_.empty() ? nullptr : &rounded_[part.state];
  update_on(*host_->ops, weights, part.state);
  const void* const changed =
      rounded_.empty() ? static_cast<const void*>(weights.values.data()) : weights.rounded;
  device_.copy_to_device(&parameters_[part.parameters], changed, bytes);
}

template <typename T>
void Updater<T>::update_on(ops::Ops<T>& ops, const ops::Weights<T>& weights, std::size_t state) {
  const auto rate = static_cast<Real>(learning_rate(options_, index_));
  const auto decay = static_cast<Real>(options_.weight_decay);
  if (options_.optimizer == Optimizer::kSgd) {
    const ops::Sgd<Real> rule{rate, static_cast<Real>(options_.momentum), decay};
    ops.update(rule, weights, &velocity_[state]);
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
  ops.update(rule, weights, &velocity_[state], &second_moment_[state]);
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
