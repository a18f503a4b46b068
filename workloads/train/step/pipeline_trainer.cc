#include "workloads/train/step/pipeline_trainer.h"

#include <chrono>
#include <thread>

#include "workloads/ops/ops.h"
#include "workloads/sync/pipeline_schedule.h"
#include "workloads/train/device/backend.h"
#include "workloads/train/device/host_copies.h"
#include "workloads/train/exchange/exchange.h"
#include "workloads/train/input/dataset.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/layout/stage_models.h"
#include "workloads/train/step/evaluator.h"
#include "workloads/train/step/loss.h"
#include "workloads/train/step/parameter_hash.h"
#include "workloads/train/step/stage_links.h"
#include "workloads/train/step/updated_state.h"
#include "workloads/train/step/updater.h"
#include "workloads/train/times/losses.h"

namespace scalestudy::train {
namespace {

std::vector<SpanKind> kinds_of(const std::vector<sync::StagePass>& schedule) {
  std::vector<SpanKind> kinds;
  kinds.reserve(schedule.size());
  for (const sync::StagePass& pass : schedule) {
    kinds.push_back(pass.is_forward ? SpanKind::kForward : SpanKind::kBackward);
  }
  return kinds;
}

// A table that the first stage has as well is in the norm there; on the last one it comes first.
template <typename T>
std::vector<sync::Part> updated_parts(const StageModels<T>& models, bool is_last) {
  const std::size_t shared = is_last ? models.shared_gradients().size() : 0;
  std::vector<sync::Part> parts;
  if (shared > 0) {
    parts.push_back(
        {.count = shared, .parameters = 0, .gradients = 0, .state = 0, .is_in_norm = false});
  }
  parts.push_back({.count = models.parameters().size() - shared,
                   .parameters = shared,
                   .gradients = shared,
                   .state = shared});
  return parts;
}

template <typename T>
class PipelineTrainer final : public Trainer {
  using Real = device::Real<T>;
  using Copy = typename StageModels<T>::Copy;

 public:
  PipelineTrainer(const Options& options, const rank::World& world)
      : options_(options),
        parts_(options.accumulation_steps),
        schedule_(sync::one_forward_one_backward(
            options.pipeline.stage, options.pipeline.stages, parts_)),
        device_(make_device(options, world)),
        arena_(*device_),
        ops_(make_ops<T>(options, world, arena_)),
        models_(options, *ops_, arena_, copies_of(options, options.pipeline.stage)),
        model_bytes_(arena_.bytes()),
        data_(options, world, *models_.copies().front().model, arena_),
        held_out_(make_evaluator<T>(options, world, *models_.copies().front().model, arena_)),
        links_(options, world, *device_, models_),
        sum_(options.clip_norm > 0.0
                 ? make_communication(options, world, *device_, 1, sizeof(double))
                 : Communication{}),
        updated_(updated_parts(models_, links_.is_last())),
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
                .waits = 4 * parts_ + 2,
                .steps = options.most_steps()}),
        copies_(*device_),
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
    if (options.backend == Backend::kCuda) {
      rehearse();
    }
    arena_.seal();
    memory_.parameters = models_.parameters().size_bytes();
    memory_.gradients = models_.gradients().size_bytes() + accumulated_.size_bytes();
    memory_.buffers = models_.buffer_bytes();
    memory_.data += losses_.values().size_bytes();
    memory_.host = (host_ == nullptr ? 0 : host_->arena->bytes()) + data_.uploaded_from_bytes();
    memory_.activations = arena_.bytes() - memory_.total();
  }

  void step(std::size_t index) override {
    timer_.begin();
    marks_ = timer_.communication();
    if (marks_ != nullptr) {
      marks_->clear();
    }
    data_.fetch(index);
    timer_.end_data();
    links_.begin(parts_, marks_);
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
    if (links_.exchange_shared()) {
      ops_->add(models_.shared_gradients(), models_.received().data());
    }
    timer_.end_sync();
    update(index);
    timer_.end();
    losses_.look(index + 1);
  }

  std::optional<std::size_t> diverged_step() const override { return losses_.diverged_step(); }
  void begin_window() override { timer_.begin_window(); }
  std::vector<double> step_times_s() override { return timer_.step_times_s(); }
  void match_clock(const ClockNs& clock_ns) override { timer_.match_clock(clock_ns); }

  Evaluation evaluate(const std::function<void()>& on_batch) override {
    timer_.pause();
    links_.begin(held_out_->batch_count(), nullptr);
    return held_out_->evaluate(
        [this](const Batch<T>& batch, std::size_t part) { return predict(batch, part); }, on_batch);
  }

  State state() override {
    State state{.losses = copies_.of(losses_.values()), .timer = &timer_};
    add_updated(copies_, updated_, models_.parameters(), updater_, state);
    return state;
  }
  void publish_state() override { copies_.put(); }

  RankSteps finish() override {
    links_.finish();
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
  FileInput* input() const override { return data_.file(); }
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
  std::vector<T> host_parameters() const {
    std::vector<T> values(models_.parameters().size());
    device_->copy_to_host(
        values.data(), models_.parameters().data(), models_.parameters().size_bytes());
    return values;
  }

  Copy& copy_of(std::size_t part) { return models_.copies()[models_.index_of(part)]; }

  // What a pass puts out for the stage behind.
  std::span<T> handed(const ops::Matrix<T>& output) const {
    return options_.declared ? models_.zeros()
                             : std::span<T>(output.data, output.rows * output.columns);
  }

  void forward(std::size_t index, std::size_t part) {
    links_.wait_for_input(part);
    links_.hand_on(part, handed(compute_forward(index, part, true)), true);
    timer_.end_forward();
  }

  // Micro-batches of held-out samples follow each other through the stages, as forwards do.
  ops::Matrix<T> predict(const Batch<T>& batch, std::size_t part) {
    links_.wait_for_input(part);
    const ops::Matrix<T> output =
        copy_of(part).model->forward(input_of(batch, part), {.is_training = false});
    links_.hand_on(part, handed(output), false);
    links_.done_with_input(part);
    return links_.is_last() ? output : ops::Matrix<T>{};
  }

  ops::Matrix<T> compute_forward(std::size_t index, std::size_t part, bool is_training) {
    const std::size_t first_sample = part * (options_.batch_global / parts_);
    const Batch<T> batch = data_.batch(index, part);
    const ops::Matrix<T> output =
        copy_of(part).model->forward(input_of(batch, part),
                                     {.seed = options_.seed,
                                      .step = static_cast<std::uint32_t>(index),
                                      .first_sample = static_cast<std::uint32_t>(first_sample),
                                      .is_training = is_training});
    if (links_.is_last()) {
      add_loss(options_, *ops_, output, batch, &losses_.values()[index], updater_.loss_scale());
    }
    return output;
  }

  model::Input<T> input_of(const Batch<T>& batch, std::size_t part) const {
    return links_.is_first() ? batch.input
                             : model::Input<T>{.values = links_.input_of(part).data()};
  }

  void backward(std::size_t index, std::size_t part) {
    links_.wait_for_gradient(part);
    compute_backward(index, part);
    links_.hand_back(part);
    links_.done_with_input(part);
    timer_.end_backward();
  }

  void compute_backward(std::size_t index, std::size_t part) {
    if (part == 0 && parts_ > 1) {
      device_->clear(accumulated_.data(), accumulated_.size_bytes());
    }
    part_ = part;
    ready_elements_ = 0;
    copy_of(part).model->backward(input_of(data_.batch(index, part), part), accumulate_);
  }

  // Computes a step without messages, so that algorithms are chosen and kernels loaded before the
  // first one: there, loading may wait for a message whose receiver waits for this rank. Of a file
  // the batch may be zeros yet; running statistics of batches stay as they are in passes that do
  // not train.
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
    for (const sync::Part& part : updated_) {
      updater_.update(part);
    }
    updater_.end();
  }

  Options options_;
  std::size_t parts_;  // micro-batches of a step
  std::vector<sync::StagePass> schedule_;
  std::unique_ptr<device::Device> device_;
  device::Arena arena_;
  Memory memory_;
  std::unique_ptr<ops::Ops<T>> ops_;
  StageModels<T> models_;
  std::size_t model_bytes_;
  Dataset<T> data_;
  std::unique_ptr<Evaluator<T>> held_out_;  // nullptr: no held-out samples
  StageLinks<T> links_;
  Communication sum_;                  // of the squares of all stages' gradients
  std::vector<sync::Part> updated_;    // all of the stage
  std::size_t before_optimizer_;       // bytes
  std::unique_ptr<HostSide<T>> host_;  // nullptr: the optimizer is on the device
  Updater<T> updater_;
  StepTimer timer_;
  sync::CommunicationMarks* marks_ = nullptr;  // of this step; nullptr without phases
  HostCopies copies_;                          // of the state, where a GPU has it
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
