// Synthetic data with a known best loss, keyed by global sample: it does not depend on the number
// of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/device/arena.h"
#include "workloads/model/model.h"
#include "workloads/train/options.h"

namespace scalestudy::train {

// One rank's share of a step's batch.
template <typename T>
struct Batch {
  const T* inputs;             // (B, input width)
  const std::int32_t* labels;  // (B), for cross entropy
  const T* targets;            // (B, output width), for the squared error
};

// A few global batches, made at set-up and used in turn, so that a step reads its data from memory.
//   cross entropy   inputs scatter around one random centre a class; the best loss is 0 as soon as
//   the
//                   classes separate, which these do.
//   squared error   targets are the outputs of the same network with other random parameters and no
//                   dropout; the best loss is 0.
template <typename T>
class Dataset {
 public:
  static constexpr std::size_t kBatches = 4;

  // model  makes the targets; its parameters are overwritten.
  Dataset(const Options& options, int rank, model::Model<T>& model, device::Arena& arena);

  Batch<T> batch(std::size_t step) const;

 private:
  void fill_classes(const Options& options, std::size_t first_sample, std::size_t slot);
  void fill_regression(const Options& options, std::size_t slot, model::Model<T>& model);

  std::size_t batch_;
  std::size_t input_width_;
  std::size_t output_width_;
  std::span<T> inputs_;             // (kBatches, B, input width)
  std::span<std::int32_t> labels_;  // (kBatches, B), empty for the squared error
  std::span<T> targets_;            // (kBatches, B, output width), empty for cross entropy
};

extern template class Dataset<float>;
extern template class Dataset<double>;

}  // namespace scalestudy::train
