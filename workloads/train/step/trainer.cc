#include "workloads/train/step/trainer.h"

#include <chrono>
#include <thread>

#include "workloads/device/data_type.h"
#include "workloads/ops/ops.h"
#include "workloads/train/device/backend.h"
#include "workloads/train/device/host_copies.h"
#include "workloads/train/exchange/exchanges.h"
#include "workloads/train/input/dataset.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/layout/run_model.h"
#include "workloads/train/layout/shares.h"
#include "workloads/train/step/evaluator.h"
#include "workloads/train/step/loss.h"
#include "workloads/train/step/parameter_hash.h"
#include "workloads/train/step/pipeline_trainer.h"
#include "workloads/train/step/updated_state.h"
#include "workloads/train/step/updater.h"
#include "workloads/train/times/losses.h"

namespace scalestudy::train {
namespace {

template <typename T>
class TypedTrainer final : public Trainer {
  using Real = device::Real<T>;

 public:
  TypedTrainer(const Options& options, const rank::World& world)
      : options_(options),
        micro_batch_(options.batch_per_device / options.accumulation_steps),
        rank_(static_cast<std::size_t>(world.rank())),
        first_sample_(first_of_share(options, rank_)),
        device_(make_device(options, world)),
        arena_(*device_),
        ops_(make_ops<T>(options, world, arena_)),
        model_(make_run_model<T>(options, *ops_, arena_)),
        data_(
            counted(memory_.data,
                    [&] { return std::make_unique<Dataset<T>>(options, world, *model_, arena_); })),
        held_out_(counted(memory_.data,
                          [&] { return make_evaluator<T>(options, world, *model_, arena_); })),
        parameters_(options.sharding == Sharding::kAll ? take_share() : model_->parameters()),
        gradients_(model_->gradients().empty() ? take_share() : model_->gradients()),
        buckets_(make_buckets(options, model_->units())),
        exchange_(counted(memory_.buffers, [&] { return take_exchange(); })),
        comm_(make_communication(
            options, world, *device_, slot_count(), exchange_->staging_bytes(buckets_))),
        sync_(counted(memory_.buffers, [&] { return make_run_strategy(world); })),
        host_(make_host_side<T>(options)),
        updater_(counted(
            memory_.optimizer,
            [&] {
              return Updater<T>(
                  options_, *ops_, arena_, sync_->parts(), parameters_, gradients_, host_.get());
            })),
        timer_(*device_,
               {.has_phases = options.has_phases,
                .has_spans = options.has_spans,
                .micro_steps = options.accumulation_steps,
                .collectives = sync_->collective_count(),
                .waits = sync_->wait_limit(),
                .steps = options.most_steps()}),
        copies_(*device_),
        losses_(arena_, options.most_steps()),
        gradients_ready_([this](std::size_t elements) { on_gradients_ready(elements); }) {
    if (options.accumulation_steps > 1) {
      accumulated_ = arena_.take<Real>(model_->gradients().size());
    }
    initialise();
    updater_.take_initial();
    if (options.backend == Backend::kCuda) {
      rehearse();
    }
    arena_.seal();
    memory_.parameters = parameters_.size_bytes();
    memory_.gradients = gradients_.size_bytes() + accumulated_.size_bytes();
    memory_.data += losses_.values().size_bytes();
    memory_.host = (host_ == nullptr ? 0 : host_->arena->bytes()) + data_->uploaded_from_bytes();
    memory_.activations = arena_.bytes() - memory_.total();
  }

  void step(std::size_t index) override {
    timer_.begin();
    sync_->begin(timer_.communication());
    data_->fetch(index);
    timer_.end_data();
    if (options_.straggler.wait_s > 0.0 && rank_ == options_.straggler.rank) {
      device_->wait();  // a queue would hide the sleep
      std::this_thread::sleep_for(std::chrono::duration<double>(options_.straggler.wait_s));
    }
    for (micro_step_ = 0; micro_step_ < options_.accumulation_steps; ++micro_step_) {
      train_micro_step(index, data_->batch(index, micro_step_));
    }
    sync_->finish();
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
    return held_out_->evaluate(
        [this](const Batch<T>& batch, std::size_t) { return predict(batch.input); }, on_batch);
  }

  State state() override {
    State state{.is_replicated = is_replicated(options_),
                .losses = copies_.of(losses_.values()),
                .collectives = options_.has_phases ? sync_->collective_count() : 0,
                .timer = &timer_};
    add_updated(copies_, sync_->parts(), parameters_, updater_, state);
    return state;
  }

  void publish_state() override {
    copies_.put();
    sync_->publish();
  }

  RankSteps finish() override {
    RankSteps steps = timer_.finish();
    losses_.write_to(steps, options_.updates_alone ? options_.ranks() : 1);
    return steps;
  }

  std::string device_description() const override { return device_->description(); }
  const std::vector<sync::Bucket>& buckets() const override { return buckets_; }
  std::size_t gradient_bytes() const override { return model_->element_count() * sizeof(T); }
  std::size_t wire_bytes() const override { return exchange_->wire_bytes(buckets_); }
  std::size_t traffic_bytes() const override {
    return train::traffic_bytes(options_, model_->units());
  }
  const Memory& memory() const override { return memory_; }
  std::map<std::string, std::string> choices() const override { return ops_->choices(); }
  FileInput* input() const override { return data_->file(); }
  std::size_t offload_bytes() const override { return updater_.offload_bytes(); }

  std::uint64_t parameter_hash() const override {
    const std::vector<T> values = host_parameters();
    return hash_of(std::as_bytes(std::span(values)));
  }

  std::vector<double> parameters() const override {
    return tensors_of<T>(host_parameters(), model_->units());
  }

 private:
  // Adds what make() takes from the arena.
  template <typename Make>
  auto counted(std::size_t& bytes, const Make& make) {
    const std::size_t before = arena_.bytes();
    auto made = make();
    bytes += arena_.bytes() - before;
    return made;
  }

  std::size_t slot_count() const {
    // fsdp gathers a unit twice and scatters its gradients.
    return buckets_.size() * (options_.sharding == Sharding::kNone ? 1 : 3) +
           (sums_squares(options_) ? 1 : 0);
  }

  std::unique_ptr<Exchange<T>> take_exchange() {
    auto exchange = make_exchange<T>(options_);
    exchange->take(rank_, *ops_, arena_, model_->gradients(), buckets_);
    return exchange;
  }

  std::unique_ptr<sync::Strategy> make_run_strategy(const rank::World& world) {
    const sync::Links links{.comm = *comm_.gradients,
                            .overlap = options_.overlap,
                            .payload = options_.payload,
                            .rank = rank_,
                            .ranks = static_cast<std::size_t>(world.size()),
                            .has_sum_of_parts = sums_squares(options_)};
    const Trained<T> trained{.device = *device_,
                             .arena = arena_,
                             .model = *model_,
                             .parameters = parameters_,
                             .gradients = gradients_,
                             .buckets = buckets_,
                             .updated = {.values = [this] { return buffer_of(updater_.values()); },
                                         .divide = [this] { updater_.average(options_.ranks()); }}};
    return exchange_->make(links, trained);
  }

  std::span<T> take_share() { return arena_.take<T>(model_->element_count() / options_.ranks()); }

  void initialise() {
    if (options_.sharding != Sharding::kAll) {
      model_->initialise(options_.seed, ops::Purpose::kStudent);
      return;
    }
    const std::vector<T> host = model_->initial_values(options_.seed, ops::Purpose::kStudent);
    deal_shares<T>(*device_, model_->units(), host, parameters_, rank_, options_.ranks());
  }

  // Runs every operation of a model once, so that algorithms are chosen, and what comes with them
  // is loaded, before the first step. What it computes is written anew in every step, and of a file
  // the batch may be zeros yet; running statistics of batches stay as they are in a pass that does
  // not train.
  void rehearse() {
    const Batch<T> batch = data_->batch(0, 0);
    sync_->begin(nullptr);
    const model::Pass pass{.seed = options_.seed, .is_training = false};
    add_loss(model_->forward(batch.input, pass), batch, losses_.values().data());
    if (has_units(options_)) {
      model_->backward(batch.input, gradients_ready_);
      sync_->finish();
    } else {
      model_->backward(batch.input, [](std::size_t) {});
    }
    exchange_->rehearse(*sync_);
    device_->clear(losses_.values().data(), losses_.values().size_bytes());
    device_->wait();
  }

  // Where the strategy hands the network its units' parameters, every rank calls.
  ops::Matrix<T> predict(const model::Input<T>& input) {
    if (has_units(options_)) {
      sync_->begin(nullptr);
    }
    const ops::Matrix<T> logits = model_->forward(input, {.is_training = false});
    if (has_units(options_)) {
      sync_->finish();
    }
    return logits;
  }

  // Of all of the model; with fsdp every rank calls.
  std::vector<T> host_parameters() const {
    if (options_.sharding == Sharding::kAll) {
      return gather_shares<T>(
          *device_, *comm_.gradients, model_->units(), parameters_, options_.ranks());
    }
    std::vector<T> values(model_->element_count());
    device_->copy_to_host(values.data(), parameters_.data(), parameters_.size_bytes());
    return values;
  }

  // Forward and backward of one part of the batch; the last one's gradients travel.
  void train_micro_step(std::size_t index, const Batch<T>& batch) {
    const model::Pass pass{
        .seed = options_.seed,
        .step = static_cast<std::uint32_t>(index),
        .first_sample = static_cast<std::uint32_t>(first_sample_ + micro_step_ * micro_batch_)};
    add_loss(model_->forward(batch.input, pass), batch, &losses_.values()[index]);
    timer_.end_forward();
    if (!is_last_micro_step() && micro_step_ == 0) {
      device_->clear(accumulated_.data(), accumulated_.size_bytes());
    }
    ready_elements_ = 0;
    ready_unit_ = 0;
    model_->backward(batch.input, gradients_ready_);
    timer_.end_backward();
  }

  bool is_last_micro_step() const { return micro_step_ + 1 == options_.accumulation_steps; }

  void on_gradients_ready(std::size_t elements) {
    const std::size_t first = ready_elements_;
    ready_elements_ += elements;
    const model::Unit& unit = model_->units()[ready_unit_];
    if (ready_elements_ == unit.offset + unit.tensors) {
      ready_elements_ = unit.offset + unit.elements;  // the padding is final
      ++ready_unit_;
    }
    if (!accumulated_.empty()) {
      const std::span<T> ready = model_->gradients().subspan(first, elements);
      const std::span<Real> sum = accumulated_.subspan(first, elements);
      if (!is_last_micro_step()) {
        ops_->accumulate(sum, ready.data());
        return;
      }
      ops_->add_accumulated(ready, sum.data());
    }
    sync_->on_gradients_ready(ready_elements_);
  }

  void add_loss(ops::Matrix<T> output, const Batch<T>& batch, double* loss) {
    train::add_loss(options_, *ops_, output, batch, loss, updater_.loss_scale());
  }

  void update(std::size_t index) {
    updater_.begin(index);
    if (sums_squares(options_)) {
      sync_->sum_of_parts({updater_.square_sum(), 1, device::DataType::kFloat64});
      updater_.take_sum_of_parts();
    }
    const std::vector<sync::Part>& parts = sync_->parts();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      updater_.update(parts[i]);
      sync_->on_updated(i);
    }
    updater_.end();
    sync_->end();
  }

  Options options_;
  std::size_t micro_batch_;
  std::size_t rank_;
  std::size_t first_sample_;
  std::unique_ptr<device::Device> device_;
  device::Arena arena_;
  Memory memory_;
  std::unique_ptr<ops::Ops<T>> ops_;
  std::unique_ptr<model::Model<T>> model_;
  std::unique_ptr<Dataset<T>> data_;
  std::unique_ptr<Evaluator<T>> held_out_;  // nullptr: no held-out samples
  std::span<T> parameters_;      // all of the model's; fsdp: this rank's shares, unit after unit
  std::span<T> gradients_;       // all; zero2, fsdp: shares
  std::span<Real> accumulated_;  // gradients of earlier micro-steps, empty where there are none
  std::vector<sync::Bucket> buckets_;
  std::unique_ptr<Exchange<T>> exchange_;
  Communication comm_;
  std::unique_ptr<sync::Strategy> sync_;
  std::unique_ptr<HostSide<T>> host_;  // nullptr: the optimizer is on the device
  Updater<T> updater_;
  StepTimer timer_;
  HostCopies copies_;  // of the state, where a GPU has it
  Losses losses_;
  model::GradientsReady gradients_ready_;
  std::size_t micro_step_ = 0;
  std::size_t ready_elements_ = 0;  // in this micro-step
  std::size_t ready_unit_ = 0;      // the first that is not
};

}  // namespace

std::unique_ptr<Trainer> make_trainer(const Options& options, const rank::World& world) {
  const Options own = for_rank(options, static_cast<std::size_t>(world.rank()));
  if (own.pipeline.is_on()) {
    return make_pipeline_trainer(own, world);
  }
  switch (own.precision) {
    case Precision::kFp64:
      return std::make_unique<TypedTrainer<double>>(own, world);
    case Precision::kBf16:
      return std::make_unique<TypedTrainer<device::Bf16>>(own, world);
    case Precision::kFp16:
      return std::make_unique<TypedTrainer<device::Half>>(own, world);
    case Precision::kFp32:
    case Precision::kTf32:
      break;
  }
  return std::make_unique<TypedTrainer<float>>(own, world);
}

}  // namespace scalestudy::train
