// The messages of a pipeline's stage: what it reads of the stage before it and hands on, and
// gradients the other way.
#pragma once

#include <cstddef>
#include <span>

#include "workloads/rank/world.h"
#include "workloads/sync/communication_marks.h"
#include "workloads/train/device/backend.h"
#include "workloads/train/layout/stage_models.h"

namespace scalestudy::train {

// Main thread only. Of micro-batches in order: for each the input is waited for and the output
// handed on, in training then the gradients likewise, and its input is done with. At an end of the
// pipeline there is nothing to wait for or to hand on.
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

  // So many micro-batches are to come, from 0.
  //   marks  where waits for them are marked; nullptr: nowhere.
  void begin(std::size_t parts, sync::CommunicationMarks* marks);

  // Of any stage but the first.
  std::span<T> input_of(std::size_t part) const {
    return models_.inputs()[part % models_.inputs().size()];
  }

  // Until the input is there, and what forward overwrites has left.
  void wait_for_input(std::size_t part);
  //   is_trained  its gradient is to come back.
  void hand_on(std::size_t part, std::span<T> output, bool is_trained);

  // The same of backward.
  void wait_for_gradient(std::size_t part);
  void hand_back(std::size_t part);

  void done_with_input(std::size_t part) { ask_for_input(part + models_.inputs().size()); }

  // Between the last backward and the update: sends the gradient of a shared table to the other
  // end of the pipeline, and waits for its own (StageModels::received). Returns whether there is
  // one.
  bool exchange_shared();

  // Until all that was begun is over.
  void finish();

 private:
  // Messages of each copy of the stage; behind those of all copies are the inputs.
  enum Slot : std::size_t { kOutput, kOutputGradient, kInputGradient, kSlots };
  enum SharedSlot : std::size_t { kSent, kReceived, kSharedSlots };

  std::size_t slot_count() const {
    return models_.copies().size() * kSlots + models_.inputs().size();
  }
  std::size_t slot_of(std::size_t part, Slot slot) const {
    return models_.index_of(part) * kSlots + slot;
  }
  // On any stage but the first.
  std::size_t input_slot_of(std::size_t part) const {
    return models_.copies().size() * kSlots + part % models_.inputs().size();
  }

  void ask_for_input(std::size_t part);
  // For what a pass reads, and for what it overwrites to have left.
  void wait_for(std::size_t read, std::size_t written, sync::Within phase);
  // By way of host memory it waits for what is sent, and copies it.
  void send(std::size_t slot, std::span<T> values, int to, sync::Within phase);
  void begin_wait();
  void end_wait(sync::Within phase);

  StageModels<T>& models_;
  int rank_;
  bool is_first_;
  bool is_last_;
  int other_end_;  // the rank that shares a table with this one, where it does
  StageMessages messages_;
  StageMessages shared_;  // of a table; nullptr where there is none
  std::size_t parts_ = 0;
  sync::CommunicationMarks* marks_ = nullptr;
};

extern template class StageLinks<float>;
extern template class StageLinks<double>;
extern template class StageLinks<device::Bf16>;

}  // namespace scalestudy::train
