// The stage of a rank, once for each micro-batch in flight.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "workloads/comm/comm.h"
#include "workloads/model/model.h"
#include "workloads/train/layout/pipeline.h"
#include "workloads/train/layout/run_model.h"

namespace scalestudy::train {

// Models of the same units over the same parameters and gradients, each with activations of its own
// and buffers for what it hands on.
template <typename T>
class StageModels {
 public:
  // One of the models. Its buffers are device memory for one micro-batch, empty at an end of the
  // pipeline.
  struct Copy {
    std::unique_ptr<model::Model<T>> model;
    std::span<T> input_gradient;   // for the stage before
    std::span<T> output_gradient;  // from the next stage
  };

  // options  of for_rank(). `ops` and `arena` outlive this.
  // copies   copies_of() the stage; fewer to find out what one takes.
  StageModels(const Options& options, ops::Ops<T>& ops, device::Arena& arena, std::size_t copies)
      : copies_(copies) {
    for (Copy& copy : copies_) {
      copy.model = make_run_model<T>(options, ops, arena);
    }
    const std::size_t count = copies_.front().model->element_count();
    parameters_ = arena.take<T>(count);
    gradients_ = arena.take<T>(count);
    const std::size_t before = arena.bytes();
    const std::size_t read = handed_elements(options, options.pipeline.stage);
    const std::size_t handed = handed_elements(options, options.pipeline.stage + 1);
    for (Copy& copy : copies_) {
      copy.input_gradient = arena.take<T>(read);
      copy.output_gradient = arena.take<T>(handed);
      copy.model->set_ends({.output_gradient = pointer_to(copy.output_gradient),
                            .input_gradient = pointer_to(copy.input_gradient)});
      for (std::size_t unit = 0; unit < units().size(); ++unit) {
        const std::size_t offset = units()[unit].offset;
        copy.model->bind(unit, &parameters_[offset], &gradients_[offset]);
      }
    }
    for (std::size_t i = 0; read > 0 && i < copies_.size() + 1; ++i) {
      inputs_.push_back(arena.take<T>(read));
    }
    if (options.declared) {
      zeros_ = arena.take<T>(handed);
    }
    received_ = arena.take<T>(shared_elements(options, options.pipeline.stage));
    shared_gradients_ = options.pipeline.stage == 0 ? gradients_.last(received_.size())
                                                    : gradients_.first(received_.size());
    buffer_bytes_ = arena.bytes() - before;
  }

  std::vector<Copy>& copies() { return copies_; }
  const std::vector<Copy>& copies() const { return copies_; }
  // The index of the copy that computes a micro-batch.
  std::size_t index_of(std::size_t part) const { return part % copies_.size(); }

  // Buffers for outputs of the stage before, used cyclically: one more than copies, so that the
  // next can come while all copies compute or wait. Empty on the first stage.
  const std::vector<std::span<T>>& inputs() const { return inputs_; }

  const std::vector<model::Unit>& units() const { return copies_.front().model->units(); }
  std::span<T> parameters() const { return parameters_; }
  std::span<T> gradients() const { return gradients_; }
  // The gradient of a table that the first and the last stage have, and the buffer for the other
  // stage's gradient of it; empty without such a table. On the last stage it is the first gradient.
  std::span<T> shared_gradients() const { return shared_gradients_; }
  std::span<T> received() const { return received_; }
  // The output of a stage that sleeps.
  std::span<T> zeros() const { return zeros_; }
  // Bytes of all buffers between stages.
  std::size_t buffer_bytes() const { return buffer_bytes_; }

 private:
  static T* pointer_to(std::span<T> values) { return values.empty() ? nullptr : values.data(); }

  std::vector<Copy> copies_;
  std::vector<std::span<T>> inputs_;
  std::span<T> parameters_;
  std::span<T> gradients_;
  std::span<T> zeros_;
  std::span<T> shared_gradients_;
  std::span<T> received_;
  std::size_t buffer_bytes_ = 0;
};

}  // namespace scalestudy::train
