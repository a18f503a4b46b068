// One rank's share of the held-out samples, and the network's predictions of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "workloads/device/arena.h"
#include "workloads/model/model.h"
#include "workloads/sync/strategy.h"
#include "workloads/train/dataset.h"
#include "workloads/train/evaluation.h"
#include "workloads/train/options.h"

namespace scalestudy::train {

// Main thread only. Predictions leave the device and are judged on the host, in double.
template <typename T>
class Evaluator {
 public:
  // options  with held-out samples.
  // model    and arena outlive this.
  Evaluator(const Options& options,
            const rank::World& world,
            model::Model<T>& model,
            device::Arena& arena);

  // Of the network as it is: without dropout, with running statistics.
  //   units  where the strategy hands the network its units' parameters, that strategy, between two
  //          steps: every rank calls then. Else nullptr.
  //   on_batch  Trainer::evaluate()'s
  Evaluation evaluate(sync::Strategy* units, const std::function<void()>& on_batch) const;

 private:
  void add(const ops::Matrix<T>& logits, const std::int32_t* labels, Evaluation& evaluation) const;

  device::Device& device_;
  model::Model<T>& model_;
  std::size_t batches_;
  std::size_t micro_steps_;
  std::size_t classes_;
  Dataset<T> data_;
};

// nullptr where the options have no held-out samples.
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
