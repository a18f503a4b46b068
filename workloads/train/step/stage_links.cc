#include "workloads/train/step/stage_links.h"

#include <algorithm>

#include "workloads/train/exchange/exchange.h"
#include "workloads/train/layout/pipeline.h"

namespace scalestudy::train {
namespace {

std::size_t largest_elements(const Options& options) {
  const std::size_t stage = options.pipeline.stage;
  return std::max(handed_elements(options, stage), handed_elements(options, stage + 1));
}

}  // namespace

template <typename T>
StageLinks<T>::StageLinks(const Options& options,
                          const rank::World& world,
                          device::Device& device,
                          StageModels<T>& models)
    : models_(models),
      rank_(world.rank()),
      is_first_(world.rank() == 0),
      is_last_(world.rank() + 1 == world.size()),
      other_end_(is_first_ ? world.size() - 1 : 0),
      messages_(make_messages(
          options, world, device, slot_count(), largest_elements(options) * sizeof(T), 1)) {
  if (const std::size_t shared = shared_elements(options, 0); shared > 0) {
    const std::size_t slots = models.received().empty() ? 0 : std::size_t{kSharedSlots};
    shared_ = make_messages(options, world, device, slots, shared * sizeof(T), world.size() - 1);
  }
  const auto advance = [this](std::size_t) { messages_.own->advance(); };
  for (auto& copy : models.copies()) {
    copy.model->set_hooks({.before_forward = advance, .before_backward = advance});
  }
}

template <typename T>
void StageLinks<T>::begin(std::size_t parts, sync::CommunicationMarks* marks) {
  parts_ = parts;
  marks_ = marks;
  for (std::size_t part = 0; part < models_.inputs().size(); ++part) {
    ask_for_input(part);
  }
}

template <typename T>
void StageLinks<T>::wait_for_input(std::size_t part) {
  const std::size_t output = slot_of(part, kOutput);
  wait_for(is_first_ ? output : input_slot_of(part), output, sync::Within::kForward);
}

template <typename T>
void StageLinks<T>::hand_on(std::size_t part, std::span<T> output, bool is_trained) {
  if (is_last_) {
    return;
  }
  if (is_trained) {
    const std::span<T> gradient = models_.copies()[models_.index_of(part)].output_gradient;
    messages_.own->receive(slot_of(part, kOutputGradient), buffer_of(gradient), rank_ + 1);
  }
  send(slot_of(part, kOutput), output, rank_ + 1, sync::Within::kForward);
}

template <typename T>
void StageLinks<T>::wait_for_gradient(std::size_t part) {
  wait_for(slot_of(part, kOutputGradient), slot_of(part, kInputGradient), sync::Within::kBackward);
}

template <typename T>
void StageLinks<T>::hand_back(std::size_t part) {
  if (!is_first_) {
    const std::span<T> gradient = models_.copies()[models_.index_of(part)].input_gradient;
    send(slot_of(part, kInputGradient), gradient, rank_ - 1, sync::Within::kBackward);
  }
}

template <typename T>
bool StageLinks<T>::exchange_shared() {
  if (models_.received().empty()) {
    return false;
  }
  begin_wait();
  shared_.own->receive(kReceived, buffer_of(models_.received()), other_end_);
  shared_.own->send(kSent, buffer_of(models_.shared_gradients()), other_end_);
  shared_.own->wait(kReceived);
  shared_.own->wait(kSent);
  end_wait(sync::Within::kSync);
  return true;
}

template <typename T>
void StageLinks<T>::finish() {
  for (std::size_t slot = 0; slot < slot_count(); ++slot) {
    messages_.own->wait(slot);
  }
}

template <typename T>
void StageLinks<T>::ask_for_input(std::size_t part) {
  if (!is_first_ && part < parts_) {
    messages_.own->receive(input_slot_of(part), buffer_of(input_of(part)), rank_ - 1);
  }
}

template <typename T>
void StageLinks<T>::wait_for(std::size_t read, std::size_t written, sync::Within phase) {
  begin_wait();
  messages_.own->wait(read);
  messages_.own->wait(written);
  end_wait(phase);
}

template <typename T>
void StageLinks<T>::send(std::size_t slot, std::span<T> values, int to, sync::Within phase) {
  begin_wait();
  messages_.own->send(slot, buffer_of(values), to);
  end_wait(phase);
}

template <typename T>
void StageLinks<T>::begin_wait() {
  if (marks_ != nullptr) {
    marks_->begin_wait();
  }
}

template <typename T>
void StageLinks<T>::end_wait(sync::Within phase) {
  if (marks_ != nullptr) {
    marks_->end_wait(phase);
  }
}

template class StageLinks<float>;
template class StageLinks<double>;
template class StageLinks<device::Bf16>;

}  // namespace scalestudy::train
