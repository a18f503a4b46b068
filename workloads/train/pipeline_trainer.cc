#include "workloads/train/pipeline_trainer.h"

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "workloads/comm/messages.h"
#include "workloads/ops/ops.h"
#include "workloads/sync/pipeline_schedule.h"
#include "workloads/train/backend.h"
#include "workloads/train/dataset.h"
#include "workloads/train/layout.h"
#include "workloads/train/loss.h"
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
        messages_(comm::make_mpi_messages(slot_count(), link())),
        sum_(comm::make_mpi_comm(*device_, 1, std::nullopt, link())),
        updated_{
            {.count = models_.parameters().size(), .parameters = 0, .gradients = 0, .state = 0}},
        before_optimizer_(arena_.bytes()),
        updater_(options_, *ops_, arena_, updated_, models_.parameters(), models_.gradients()),
        timer_(*device_,
               {.has_phases = options.has_phases,
                .has_spans = options.has_spans,
                .micro_steps = parts_,
                .passes = kinds_of(schedule_),
                .collectives = 0,
                .waits = 2 * parts_ + 1,
                .steps = options.most_steps()}),
        accumulate_([this](std::size_t elements) { accumulate(elements); }) {
    memory_.data = before_optimizer_ - model_bytes_;
    memory_.optimizer = arena_.bytes() - before_optimizer_;
    losses_ = arena_.take<double>(options.most_steps());
    if (parts_ > 1) {
      accumulated_ = arena_.take<Real>(models_.gradients().size());
    }
    const model::Model<T>& model = *models_.copies().front().model;
    const std::vector<T> initial = model.initial_values(options.seed, ops::Purpose::kStudent);
    device_->copy_to_device(
        models_.parameters().data(), initial.data(), models_.parameters().size_bytes());
    const auto advance = [this](std::size_t) { messages_->advance(); };
    for (Copy& copy : models_.copies()) {
      copy.model->set_hooks({.before_forward = advance, .before_backward = advance});
    }
    arena_.seal();
    memory_.parameters = models_.parameters().size_bytes();
    memory_.gradients = models_.gradients().size_bytes() + accumulated_.size_bytes();
    memory_.buffers = models_.buffer_bytes();
    memory_.data += losses_.size_bytes();
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
    if (!diverged_step_ && !std::isfinite(losses_[index])) {
      diverged_step_ = index;
    }
  }

  std::optional<std::size_t> diverged_step() const override { return diverged_step_; }
  void begin_window() override { timer_.begin_window(); }
  std::vector<double> step_times_s() override { return timer_.step_times_s(); }

  Evaluation evaluate(const std::function<void()>& /*on_batch*/) override { refuse(); }
  State state() override { refuse(); }
  void publish_state() override { refuse(); }

  RankSteps finish() override {
    for (std::size_t slot = 0; slot < slot_count(); ++slot) {
      messages_->wait(slot);
    }
    RankSteps steps = timer_.finish();
    for (std::size_t i = 0; i < steps.times.size(); ++i) {
      steps.times[i][kLoss] = losses_[i];
    }
    return steps;
  }

  std::string device_description() const override { return device_->description(); }
  const std::vector<sync::Bucket>& buckets() const override { return no_buckets_; }
  std::size_t gradient_bytes() const override { return models_.gradients().size_bytes(); }
  std::size_t wire_bytes() const override { return sent_bytes(options_, options_.pipeline.stage); }
  std::size_t traffic_bytes() const override { return wire_bytes(); }
  const Memory& memory() const override { return memory_; }
  std::map<std::string, std::string> choices() const override { return ops_->choices(); }

  std::uint64_t parameter_hash() const override {
    return hash_of(std::as_bytes(models_.parameters()));
  }
  std::vector<double> parameters() const override {
    return tensors_of<T>(models_.parameters(), models_.units());
  }

 private:
  [[noreturn]] static void refuse() {
    throw std::logic_error("no rank of a pipeline has the whole model");
  }

  std::optional<comm::DeclaredLink> link() const {
    return options_.declared ? std::optional(options_.declared->link) : std::nullopt;
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
      messages_->receive(input_slot_of(part), buffer_of(input_buffer_of(part)), rank_ - 1);
    }
  }

  // For what a pass reads, and for what it overwrites to have left.
  void wait_for(std::size_t read, std::size_t written, sync::Within phase) {
    if (marks_ != nullptr) {
      marks_->begin_wait();
    }
    messages_->wait(read);
    messages_->wait(written);
    if (marks_ != nullptr) {
      marks_->end_wait(phase);
    }
  }

  void forward(std::size_t index, std::size_t part) {
    const std::size_t output_slot = slot_of(part, kOutput);
    wait_for(is_first_ ? output_slot : input_slot_of(part), output_slot, sync::Within::kForward);
    Copy& copy = copy_of(part);
    const std::size_t first_sample = part * (options_.batch_global / parts_);
    const ops::Matrix<T> output =
        copy.model->forward(input_of(index, part),
                            {.seed = options_.seed,
                             .step = static_cast<std::uint32_t>(index),
                             .first_sample = static_cast<std::uint32_t>(first_sample)});
    if (is_last_) {
      add_loss(options_,
               *ops_,
               output,
               data_.batch(index, part),
               &losses_[index],
               updater_.loss_scale());
    } else {
      const std::span<T> handed = options_.declared
                                      ? models_.zeros()
                                      : std::span<T>(output.data, output.rows * output.columns);
      messages_->receive(
          slot_of(part, kOutputGradient), buffer_of(copy.output_gradient), rank_ + 1);
      messages_->send(output_slot, buffer_of(handed), rank_ + 1);
    }
    timer_.end_forward();
  }

  model::Input<T> input_of(std::size_t index, std::size_t part) {
    return is_first_ ? data_.batch(index, part).input
                     : model::Input<T>{.values = input_buffer_of(part).data()};
  }

  void backward(std::size_t index, std::size_t part) {
    wait_for(
        slot_of(part, kOutputGradient), slot_of(part, kInputGradient), sync::Within::kBackward);
    Copy& copy = copy_of(part);
    if (part == 0 && parts_ > 1) {
      device_->clear(accumulated_.data(), accumulated_.size_bytes());
    }
    part_ = part;
    ready_elements_ = 0;
    copy.model->backward(input_of(index, part), accumulate_);
    if (!is_first_) {
      messages_->send(slot_of(part, kInputGradient), buffer_of(copy.input_gradient), rank_ - 1);
    }
    ask_for_input(part + models_.inputs().size());
    timer_.end_backward();
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
      sum_->run(
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
  std::unique_ptr<comm::Messages> messages_;
  std::unique_ptr<comm::Comm> sum_;  // of the squares of all stages' gradients
  std::vector<sync::Part> updated_;  // all of the stage
  std::size_t before_optimizer_;     // bytes
  Updater<T> updater_;
  StepTimer timer_;
  sync::CommunicationMarks* marks_ = nullptr;  // of this step; nullptr without phases
  std::span<double> losses_;                   // of each step, zero but on the last stage
  std::span<Real> accumulated_;                // gradients of earlier micro-batches
  std::vector<sync::Bucket> no_buckets_;
  std::optional<std::size_t> diverged_step_;
  model::GradientsReady accumulate_;
  std::size_t part_ = 0;            // whose backward it is
  std::size_t ready_elements_ = 0;  // of it
};

}  // namespace

std::unique_ptr<Trainer> make_pipeline_trainer(const Options& options, const rank::World& world) {
  if (options.precision == Precision::kFp64) {
    return std::make_unique<PipelineTrainer<double>>(options, world);
  }
  return std::make_unique<PipelineTrainer<float>>(options, world);
}

}  // namespace scalestudy::train
