#include "workloads/train/dataset.h"

#include <algorithm>
#include <cmath>

namespace scalestudy::train {
namespace {

// values[i] += factor * (number i of this row of the stream), numbers uniform with variance 1.
template <typename T>
void add_uniform(std::span<T> values, double factor, std::uint64_t seed, ops::PhiloxBlock counter) {
  const double scale = factor * std::sqrt(3.0);
  for (std::size_t i = 0; i < values.size(); i += 4) {
    counter.word[0] = static_cast<std::uint32_t>(i / 4);
    const ops::PhiloxBlock block = ops::philox4x32_10(counter, ops::philox_key(seed));
    for (std::size_t j = i; j < std::min(i + 4, values.size()); ++j) {
      values[j] += static_cast<T>(scale * ops::symmetric_uniform(block.word[j % 4]));
    }
  }
}

}  // namespace

template <typename T>
Dataset<T>::Dataset(const Options& options, int rank, model::Model<T>& model, device::Arena& arena)
    : batch_(options.batch_per_device),
      input_width_(model::sample_shape(options.model).input_width),
      output_width_(model::sample_shape(options.model).output_width),
      inputs_(arena.take<T>(kBatches * batch_ * input_width_)) {
  const bool is_classes = options.loss == Loss::kCrossEntropy;
  if (is_classes) {
    labels_ = arena.take<std::int32_t>(kBatches * batch_);
  } else {
    targets_ = arena.take<T>(kBatches * batch_ * output_width_);
    model.initialise(options.seed, ops::Purpose::kTeacher);
  }
  for (std::size_t slot = 0; slot < kBatches; ++slot) {
    const std::size_t first_sample =
        slot * options.batch_global + static_cast<std::size_t>(rank) * batch_;
    for (std::size_t i = 0; i < batch_; ++i) {
      const auto sample = static_cast<std::uint32_t>(first_sample + i);
      add_uniform(inputs_.subspan((slot * batch_ + i) * input_width_, input_width_),
                  is_classes ? std::sqrt(0.5) : 1.0,
                  options.seed,
                  ops::philox_counter(0, sample, 0, ops::Purpose::kInput, 0));
    }
    if (is_classes) {
      fill_classes(options, first_sample, slot);
    } else {
      fill_regression(options, slot, model);
    }
  }
}

template <typename T>
void Dataset<T>::fill_classes(const Options& options, std::size_t first_sample, std::size_t slot) {
  for (std::size_t i = 0; i < batch_; ++i) {
    const auto sample = static_cast<std::uint32_t>(first_sample + i);
    const ops::PhiloxBlock block = ops::philox4x32_10(
        ops::philox_counter(0, sample, 0, ops::Purpose::kLabel, 0), ops::philox_key(options.seed));
    const auto label = static_cast<std::uint32_t>(block.word[0] % output_width_);
    labels_[slot * batch_ + i] = static_cast<std::int32_t>(label);
    add_uniform(inputs_.subspan((slot * batch_ + i) * input_width_, input_width_),
                std::sqrt(0.5),
                options.seed,
                ops::philox_counter(0, label, 0, ops::Purpose::kPrototype, 0));
  }
}

template <typename T>
void Dataset<T>::fill_regression(const Options& options, std::size_t slot, model::Model<T>& model) {
  const model::Pass pass{.seed = options.seed, .is_training = false};
  const ops::Matrix<T> output =
      model.forward({.values = inputs_.data() + slot * batch_ * input_width_}, pass);
  std::copy_n(output.data,
              batch_ * output_width_,
              targets_.begin() + static_cast<std::ptrdiff_t>(slot * batch_ * output_width_));
}

template <typename T>
Batch<T> Dataset<T>::batch(std::size_t step) const {
  const std::size_t first = step % kBatches * batch_;
  return {inputs_.data() + first * input_width_,
          labels_.empty() ? nullptr : labels_.data() + first,
          targets_.empty() ? nullptr : targets_.data() + first * output_width_};
}

template class Dataset<float>;
template class Dataset<double>;

}  // namespace scalestudy::train
