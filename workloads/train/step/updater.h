// The optimizer: its state, and its steps over the parts of the model that this rank updates.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/device/arena.h"
#include "workloads/ops/ops.h"
#include "workloads/sync/strategy.h"
#include "workloads/train/device/host_side.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Main thread only. One step is begin(), update() of each part, end(). With clip_norm, ranks that
// have shares of the gradients sum square_sum() between begin() and the updates. With compute
// declared update() changes nothing.
template <typename T>
class Updater {
  using Real = device::Real<T>;

 public:
  // All arguments outlive this.
  // - parameters, gradients: device memory that parts point into.
  // - host: where the state is and updates are made; nullptr: on the device.
  Updater(const Options& options,
          ops::Ops<T>& ops,
          device::Arena& arena,
          const std::vector<sync::Part>& parts,
          std::span<T> parameters,
          std::span<const T> gradients,
          HostSide<T>* host = nullptr);

  // Sets the master values of 16-bit parameters, and the host side's copies, to the parameters.
  // Call it once these have their initial values.
  void take_initial();

  // index  of the step, from 0.
  void begin(std::size_t index);
  // Call it once square_sum() is that of all ranks' shares, where they have shares (sums_squares).
  void take_sum_of_parts();
  void update(const sync::Part& part);
  void end();

  // The values that updates change, in device memory: the parameters, or master values of 16-bit
  // ones. Not with a host side, like average().
  std::span<Real> values();
  // Call it after values() were summed over this many ranks: makes their mean, and sets the
  // parameters to it.
  void average(std::size_t ranks);

  // The sum of the squares of the gradients of all parts in the norm, in device memory, after
  // begin().
  double* square_sum() const { return square_sum_; }

  // The memory of the optimizer's state, with that of take_initial().
  std::vector<std::span<std::byte>> state() const;
  // Whether state() is in the host side's memory.
  bool is_on_host() const { return host_ != nullptr; }

  // Bytes that a step copies between the device and the host side, both ways together.
  std::size_t offload_bytes() const { return 2 * sent_down_.size_bytes(); }

  // The factor of loss gradients; nullptr if they are not scaled.
  ops::LossScale* loss_scale() const { return loss_scale_; }

 private:
  void update_on_host(const sync::Part& part, ops::Weights<T> weights);
  void update_on(ops::Ops<T>& ops, const ops::Weights<T>& weights, std::size_t state);

  static constexpr double kBeta1 = 0.9;
  static constexpr double kBeta2 = 0.999;

  const Options& options_;
  ops::Ops<T>& ops_;
  device::Device& device_;
  const std::vector<sync::Part>& parts_;
  std::span<T> parameters_;
  std::span<const T> gradients_;
  HostSide<T>* host_;
  std::size_t index_ = 0;
  std::span<Real> velocity_;       // first moment for AdamW
  std::span<Real> second_moment_;  // AdamW only
  std::span<Real> master_;         // of 16-bit parameters, and with a host side
  std::span<T> sent_down_;         // gradients, with a host side
  std::span<T> rounded_;           // 16-bit parameters with a host side
  double host_square_sum_ = 0.0;
  ops::LossScale* loss_scale_ = nullptr;  // fp16 only
  double* square_sum_ = nullptr;          // with clip_norm, and fp16 of shares
};

extern template class Updater<float>;
extern template class Updater<double>;
extern template class Updater<device::Bf16>;
extern template class Updater<device::Half>;

}  // namespace scalestudy::train
