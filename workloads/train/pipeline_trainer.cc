#include "workloads/train/pipeline_trainer.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "workloads/comm/messages.h"
#include "workloads/ops/ops.h"
#include "workloads/sync/pipeline_schedule.h"
#include "workloads/train/backend.h"
#include "workloads/train/dataset.h"
#include "workloads/train/layout.h"
#include "workloads/train/loss.h"
#include "workloads/train/losses.h"
#include "workloads/train/parameter_hash.h"
#include "workloads/train/stage_models.h"
#include "workloads/train/strategies.h"
#include "workloads/train/updater.h"

namespace scalestudy::train {
namespace {

// Messages of each copy of the stage; behind those of all copies are the inputs.
enum Slot : std::size_t { kOutput, kOutputGradient, kInputGradient, kSlots };

std::vector<SpanKind> kinds_of(const std::vector<sync::StagePass>& schedule) {
  std::vector<SpanKind> kinds;
  kinds.reserve(schedule.size());
  for (const sync::StagePass& pass : schedule) {
    kinds.push_back(pass.is_forward ? SpanKind::kForward : SpanKind::kBackward);
  }
  return kinds;
}

template <typename T>
class PipelineTrainer final : public Trainer {
  using Real = device::Real<T>;
  using Copy = typename StageModels<T>::Copy;

 public:
  PipelineTrainer(const Options& options, const rank::World& world)
      : options_(options),
        parts_(options.accumulation_steps),
        rank_(world.rank()),
        is_first_(rank_ == 0),
        is_last_(rank_ + 1 == world.size()),
        schedule_(sync::one_forward_one_backward(
            options.pipeline.stage, options.pipeline.stages, parts_)),
        device_(make_device(options, world)),
        arena_(*device_),
        ops_(make_ops<T>(options, world, arena_)),
        models_(options, *ops_, arena_, copies_of(options, options.pipeline.stage)),
        model_bytes_(arena_.bytes()),
        data_(options, world, *models_.copies().front().model, arena_),
        messages_(make_messages(options, world, *device_, slot_count(), largest_message_bytes())),
        sum_(options.clip_norm > 0.0
                 ? make_communication(options, world, *device_, 1, sizeof(double))
                 : Communication{}),
        updated_{
            {.count = models_.parameters().size(), .parameters = 0, .gradients = 0, .state = 0}},
        before_optimizer_(arena_.bytes()),
        host_(make_host_side<T>(options)),
        updater_(options_,
                 *ops_,
                 arena_,
                 updated_,
                 models_.parameters(),
                 models_.gradients(),
                 host_.get()),
        timer_(*device_,
               {.has_phases = options.has_phases,
                .has_spans = options.has_spans,
                .micro_steps = parts_,
                .passes = kinds_of(schedule_),
                .collectives = 0,
                .waits = 4 * parts_ + 1,
                .steps = options.most_steps()}),
        losses_(arena_, options.most_steps()),
        accumulate_([this](std::size_t elements) { accumulate(elements); }) {
    memory_.data = before_optimizer_ - model_bytes_;
    memory_.optimizer = arena_.bytes() - before_optimizer_ - losses_.values().size_bytes();
    if (parts_ > 1) {
      accumulated_ = arena_.take<Real>(models_.gradients().size());
    }
    const model::Model<T>& model = *models_.copies().front().model;
    const std::vector<T> initial = model.initial_values(options.seed, ops::Purpose::kStudent);
    device_->copy_to_device(
        models_.parameters().data(), initial.data(), models_.parameters().size_bytes());
    updater_.take_initial();
    const auto advance = [this](std::size_t) { messages_.own->advance(); };
    for (Copy& copy : models_.copies()) {
      copy.model->set_hooks({.before_forward = advance, .before_backward = advance});
    }
    if (options.backend == Backend::kCuda) {
      rehearse();
    }
    arena_.seal();
    memory_.parameters = models_.parameters().size_bytes();
    memory_.gradients = models_.gradients().size_bytes() + accumulated_.size_bytes();
    memory_.buffers = models_.buffer_bytes();
    memory_.data += losses_.values().size_bytes();
    memory_.host = host_ == nullptr ? 0 : host_->arena->bytes();
    memory_.activations = arena_.bytes() - memory_.total();
  }

  void step(std::size_t index) override {
    timer_.begin();
    marks_ = timer_.communication();
    if (marks_ != nullptr) {
      marks_->clear();
    }
    timer_.end_data();
    for (std::size_t part = 0; part < models_.inputs().size(); ++part) {
      ask_for_input(part);
    }
    if (options_.straggler.wait_s > 0.0 && options_.pipeline.stage == options_.straggler.rank) {
      device_->wait();  // a queue would hide the sleep
      std::this_thread::sleep_for(std::chrono::duration<double>(options_.straggler.wait_s));
    }
    for (const sync::StagePass& pass : schedule_) {
      if (pass.is_forward) {
        forward(index, pass.part);
      } else {
        backward(index, pass.part);
      }
    }
    timer_.end_sync();
    update(index);
    timer_.end();
    losses_.look(index + 1);
  }

  std::optional<std::size_t> diverged_step() const override { return losses_.diverged_step(); }
  void begin_window() override { timer_.begin_window(); }
  std::vector<double> step_times_s() override { return timer_.step_times_s(); }

  Evaluation evaluate(const std::function<void()>& /*on_batch*/) override { refuse(); }
  State state() override { refuse(); }
  void publish_state() override { refuse(); }

  RankSteps finish() override {
    for (std::size_t slot = 0; slot < slot_count(); ++slot) {
      messages_.own->wait(slot);
    }
    RankSteps steps = timer_.finish();
    losses_.write_to(steps, 1);
    return steps;
  }

  std::string device_description() const override { return device_->description(); }
  const std::vector<sync::Bucket>& buckets() const override { return no_buckets_; }
  std::size_t gradient_bytes() const override { return models_.gradients().size_bytes(); }
  std::size_t wire_bytes() const override { return sent_bytes(options_, options_.pipeline.stage); }
  std::size_t traffic_bytes() const override { return wire_bytes(); }
  const Memory& memory() const override { return memory_; }
  std::size_t offload_bytes() const override { return updater_.offload_bytes(); }
  std::map<std::string, std::string> choices() const override { return ops_->choices(); }

  std::uint64_t parameter_hash() const override {
    const std::vector<T> values = host_parameters();
    return hash_of(std::as_bytes(std::span(values)));
  }
  std::vector<double> parameters() const override {
    return tensors_of<T>(host_parameters(), models_.units());
  }

 private:
  [[noreturn]] static void refuse() {
    throw std::logic_error("no rank of a pipeline has the whole model");
  }

  std::vector<T> host_parameters() const {
    std::vector<T> values(models_.parameters().size());
    device_->copy_to_host(
        values.data(), models_.parameters().data(), models_.parameters().size_bytes());
    return values;
  }

  std::size_t largest_message_bytes() const {
    const std::size_t stage = options_.pipeline.stage;
    return sizeof(T) *
           std::max(handed_elements(options_, stage), handed_elements(options_, stage + 1));
  }
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
  std::span<T> input_buffer_of(std::size_t part) const {
    return models_.inputs()[part % models_.inputs().size()];
  }
  Copy& copy_of(std::size_t part) { return models_.copies()[models_.index_of(part)]; }

  void ask_for_input(std::size_t part) {
    if (!is_first_ && part < parts_) {
      messages_.own->receive(input_slot_of(part), buffer_of(input_buffer_of(part)), rank_ - 1);
    }
  }

  // For what a pass reads, and for what it overwrites to have left.
  void wait_for(std::size_t read, std::size_t written, sync::Within phase) {
    if (marks_ != nullptr) {
      marks_->begin_wait();
    }
    messages_.own->wait(read);
    messages_.own->wait(written);
    if (marks_ != nullptr) {
      marks_->end_wait(phase);
    }
  }

  // By way of host memory it waits for what is sent, and copies it.
  void send(std::size_t slot, std::span<T> values, int to, sync::Within phase) {
    if (marks_ != nullptr) {
      marks_->begin_wait();
    }
    messages_.own->send(slot, buffer_of(values), to);
    if (marks_ != nullptr) {
      marks_->end_wait(phase);
    }
  }

  void forward(std::size_t index, std::size_t part) {
    const std::size_t output_slot = slot_of(part, kOutput);
    wait_for(is_first_ ? output_slot : input_slot_of(part), output_slot, sync::Within::kForward);
    const ops::Matrix<T> output = compute_forward(index, part, true);
    if (!is_last_) {
      const std::span<T> handed = options_.declared
                                      ? models_.zeros()
                                      : std::span<T>(output.data, output.rows * output.columns);
      messages_.own->receive(
          slot_of(part, kOutputGradient), buffer_of(copy_of(part).output_gradient), rank_ + 1);
      send(output_slot, handed, rank_ + 1, sync::Within::kForward);
    }
    timer_.end_forward();
  }

  ops::Matrix<T> compute_forward(std::size_t index, std::size_t part, bool is_training) {
    const std::size_t first_sample = part * (options_.batch_global / parts_);
    const ops::Matrix<T> output =
        copy_of(part).model->forward(input_of(index, part),
                                     {.seed = options_.seed,
                                      .step = static_cast<std::uint32_t>(index),
                                      .first_sample = static_cast<std::uint32_t>(first_sample),
                                      .is_training = is_training});
    if (is_last_) {
      add_loss(options_,
               *ops_,
               output,
               data_.batch(index, part),
               &losses_.values()[index],
               updater_.loss_scale());
    }
    return output;
  }

  model::Input<T> input_of(std::size_t index, std::size_t part) {
    return is_first_ ? data_.batch(index, part).input
                     : model::Input<T>{.values = input_buffer_of(part).data()};
  }

  void backward(std::size_t index, std::size_t part) {
    wait_for(
        slot_of(part, kOutputGradient), slot_of(part, kInputGradient), sync::Within::kBackward);
    compute_backward(index, part);
    if (!is_first_) {
      send(slot_of(part, kInputGradient),
           copy_of(part).input_gradient,
           rank_ - 1,
           sync::Within::kBackward);
    }
    ask_for_input(part + models_.inputs().size());
    timer_.end_backward();
  }

  void compute_backward(std::size_t index, std::size_t part) {
    if (part == 0 && parts_ > 1) {
      device_->clear(accumulated_.data(), accumulated_.size_bytes());
    }
    part_ = part;
    ready_elements_ = 0;
    copy_of(part).model->backward(input_of(index, part), accumulate_);
  }

  // Computes a step without messages, so that algorithms are chosen and kernels loaded before the
  // first one: there, loading may wait for a message whose receiver waits for this rank. Running
  // statistics of batches stay as they are in passes that do not train.
  void rehearse() {
    for (std::size_t part = 0; part < parts_; ++part) {
      compute_forward(0, part, false);
      compute_backward(0, part);
    }
    device_->clear(losses_.values().data(), losses_.values().size_bytes());
    device_->wait();
  }

  // As one rank does in its micro-steps.
  void accumulate(std::size_t elements) {
    if (parts_ == 1) {
      return;
    }
    const std::span<T> ready = models_.gradients().subspan(ready_elements_, elements);
    const std::span<Real> sum = accumulated_.subspan(ready_elements_, elements);
    ready_elements_ += elements;
    if (part_ + 1 < parts_) {
      ops_->accumulate(sum, ready.data());
    } else {
      ops_->add_accumulated(ready, sum.data());
    }
  }

  void update(std::size_t index) {
    updater_.begin(index);
    if (options_.clip_norm > 0.0) {
      if (marks_ != nullptr) {
        marks_->begin_wait();
      }
      sum_.gradients->run(
          {comm::Operation::kAllReduce, {updater_.square_sum(), 1, device::DataType::kFloat64}},
          std::nullopt);
      if (marks_ != nullptr) {
        marks_->end_wait(sync::Within::kUpdate);
      }
    }
    updater_.update(updated_.front());
    updater_.end();
  }

  Options options_;
  std::size_t parts_;  // micro-batches of a step
  int rank_;
  bool is_first_;
  bool is_last_;
  std::vector<sync::StagePass> schedule_;
  std::unique_ptr<device::Device> device_;
  device::Arena arena_;
  Memory memory_;
  std::unique_ptr<ops::Ops<T>> ops_;
  StageModels<T> models_;
  std::size_t model_bytes_;
  Dataset<T> data_;
  StageMessages messages_;
  Communication sum_;                  // of the squares of all stages' gradients
  std::vector<sync::Part> updated_;    // all of the stage
  std::size_t before_optimizer_;       // bytes
  std::unique_ptr<HostSide<T>> host_;  // nullptr: the optimizer is on the device
  Updater<T> updater_;
  StepTimer timer_;
  sync::CommunicationMarks* marks_ = nullptr;  // of this step; nullptr without phases
  Losses losses_;                              // zero but on the last stage
  std::span<Real> accumulated_;                // gradients of earlier micro-batches
  std::vector<sync::Bucket> no_buckets_;
  model::GradientsReady accumulate_;
  std::size_t part_ = 0;            // whose backward it is
  std::size_t ready_elements_ = 0;  // of it
};

}  // namespace

std::unique_ptr<Trainer> make_pipeline_trainer(const Options& options, const rank::World& world) {
  if (options.precision == Precision::kFp64) {
    return std::make_unique<PipelineTrainer<double>>(options, world);
  }
  if (options.precision == Precision::kBf16) {
    return std::make_unique<PipelineTrainer<device::Bf16>>(options, world);
  }
  return std::make_unique<PipelineTrainer<float>>(options, world);
}

}  // namespace scalestudy::train
