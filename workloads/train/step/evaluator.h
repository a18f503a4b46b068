// Evaluates the network on one rank's share of the held-out samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "workloads/device/arena.h"
#include "workloads/model/model.h"
#include "workloads/train/input/dataset.h"
#include "workloads/train/options/options.h"
#include "workloads/train/step/evaluation.h"

namespace scalestudy::train {

// Main thread only. Predictions leave the device and are judged on the host, in double.
template <typename T>
class Evaluator {
 public:
  // Runs the present network without dropout and with running statistics, and returns its logits:
  // none on a stage of a pipeline that is not the last.
  // - index: of the batch, from 0.
  using Predict = std::function<ops::Matrix<T>(const Batch<T>& batch, std::size_t index)>;

  // options  with held-out samples.
  // arena    outlives this.
  Evaluator(const Options& options,
            const rank::World& world,
            model::Model<T>& model,
            device::Arena& arena);

  // Number of batches, of which the network predicts one after another.
  std::size_t batch_count() const { return batches_ * micro_steps_; }

  // Evaluates all batches; call it between two steps.
  // - on_batch: see Trainer::evaluate().
  Evaluation evaluate(const Predict& predict, const std::function<void()>& on_batch) const;

 private:
  void add(const ops::Matrix<T>& logits, const std::int32_t* labels, Evaluation& evaluation) const;

  device::Device& device_;
  std::size_t batches_;
  std::size_t micro_steps_;
  std::size_t classes_;
  Dataset<T> data_;
};

// An evaluator; nullptr if the options have no held-out samples.
template <typename T>
std::unique_ptr<Evaluator<T>> make_evaluator(const Options& options,
                                             const rank::World& world,
                                             model::Model<T>& model,
                                             device::Arena& arena) {
  return options.held_out_samples == 0
             ? nullptr
             : std::make_unique<Evaluator<T>>(options, world, model, arena);
}

extern template class Evaluator<float>;
extern template class Evaluator<double>;
extern template class Evaluator<device::Bf16>;
extern template class Evaluator<device::Half>;

}  // namespace scalestudy::train
