// The messages of a pipeline's stage: activations from the stage before and to the next one, and
// gradients the other way.
#pragma once

#include <cstddef>
#include <span>

#include "workloads/rank/world.h"
#include "workloads/sync/communication_marks.h"
#include "workloads/train/device/backend.h"
#include "workloads/train/layout/stage_models.h"

namespace scalestudy::train {

// Main thread only. Micro-batches come in order: for each, a stage waits for the input and hands on
// the output; in training it then waits for the gradient, hands back its own, and is done with the
// input. At an end of the pipeline there is nothing to wait for or to hand on.
template <typename T>
class StageLinks {
 public:
  // options  of for_rank(), with a pipeline. `device` and `models` outlive this. Collective: every
  //          rank calls.
  StageLinks(const Options& options,
             const rank::World& world,
             device::Device& device,
             StageModels<T>& models);

  bool is_first() const { return is_first_; }
  bool is_last() const { return is_last_; }

  // Begins a batch of `parts` micro-batches, numbered from 0.
  // - marks: mark the waits for them; nullptr: waits are not marked.
  void begin(std::size_t parts, sync::CommunicationMarks* marks);

  // The buffer of a micro-batch's input, on any stage but the first.
  std::span<T> input_of(std::size_t part) const {
    return models_.inputs()[part % models_.inputs().size()];
  }

  // Waits until the input is there, and what forward overwrites has left.
  void wait_for_input(std::size_t part);
  // Hands the output on to the next stage.
  // - is_trained: its gradient will come back.
  void hand_on(std::size_t part, std::span<T> output, bool is_trained);

  // Waits until the gradient of the output is there, and what backward overwrites has left.
  void wait_for_gradient(std::size_t part);
  void hand_back(std::size_t part);

  void done_with_input(std::size_t part) { ask_for_input(part + models_.inputs().size()); }

  // Between the last backward and the update: sends the gradient of a shared table to the other
  // end of the pipeline, and waits for its own (StageModels::received). Returns whether there is
  // one.
  bool exchange_shared();

  // Waits until all messages that were begun are complete.
  void finish();

 private:
  // The slots of each copy of the stage; after those of all copies come the slots of inputs.
  enum Slot : std::size_t { kOutput, kOutputGradient, kInputGradient, kSlots };
  enum SharedSlot : std::size_t { kSent, kReceived, kSharedSlots };

  std::size_t slot_count() const {
    return models_.copies().size() * kSlots + models_.inputs().size();
  }
  std::size_t slot_of(std::size_t part, Slot slot) const {
    return models_.index_of(part) * kSlots + slot;
  }
  // The slot of a micro-batch's input, on any stage but the first.
  std::size_t input_slot_of(std::size_t part) const {
    return models_.copies().size() * kSlots + part % models_.inputs().size();
  }

  void ask_for_input(std::size_t part);
  // Waits until the message of slot `read` is there, and that of slot `written` has left.
  void wait_for(std::size_t read, std::size_t written, sync::Within phase);
  // Begins a send; if it goes through host memory, waits for the values and copies them.
  void send(std::size_t slot, std::span<T> values, int to, sync::Within phase);
  void begin_wait();
  void end_wait(sync::Within phase);

  StageModels<T>& models_;
  int rank_;
  bool is_first_;
  bool is_last_;
  int other_end_;  // the rank that shares a table with this one, if one does
  StageMessages messages_;
  StageMessages shared_;  // of a shared table; nullptr without one
  std::size_t parts_ = 0;
  sync::CommunicationMarks* marks_ = nullptr;
};

extern template class StageLinks<float>;
extern template class StageLinks<double>;
extern template class StageLinks<device::Bf16>;

}  // namespace scalestudy::train
