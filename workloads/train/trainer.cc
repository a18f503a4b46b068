#include "workloads/train/trainer.h"

#include <cmath>
#include <cstring>

#include "workloads/comm/comm.h"
#include "workloads/device/data_type.h"
#include "workloads/model/make_model.h"
#include "workloads/ops/ops.h"
#include "workloads/rank/clock.h"
#include "workloads/train/dataset.h"

namespace scalestudy::train {
namespace {

std::vector<sync::Bucket> buckets_of(const Options& options, std::size_t element_bytes) {
  std::vector<std::size_t> bytes = model::tensor_elements(options.model);
  for (std::size_t& size : bytes) {
    size *= element_bytes;
  }
  return sync::make_buckets(bytes, options.first_bucket_bytes, options.bucket_bytes);
}

template <typename T>
class TypedTrainer final : public Trainer {
 public:
  TypedTrainer(const Options& options, const rank::World& world)
      : options_(options),
        first_sample_(static_cast<std::uint32_t>(world.rank()) *
                      static_cast<std::uint32_t>(options.batch_per_device)),
        ops_(ops::make_cpu_ops<T>(options.threads)),
        model_(model::make_model<T>(options.model, options.batch_per_device, *ops_, arena_)),
        data_(options, world.rank(), *model_, arena_),
        velocity_(arena_.take<T>(model_->parameters().size())),
        buckets_(buckets_of(options, sizeof(T))),
        comm_(options.is_noop ? comm::make_noop_comm() : comm::make_mpi_comm(buckets_.size())),
        sync_(*comm_,
              {model_->gradients().data(), model_->gradients().size(), device::kDataType<T>},
              buckets_,
              options.overlap,
              rank::PhaseClock(options.has_phases)),
        clock_(options.has_phases),
        gradients_ready_([this](std::size_t elements) {
          ready_elements_ += elements;
          sync_.on_gradients_ready(ready_elements_);
        }),
        loss_(arena_.take<double>(1).data()) {
    if (options.optimizer == Optimizer::kAdamW) {
      second_moment_ = arena_.take<T>(model_->parameters().size());
    }
    model_->initialise(options.seed, ops::Purpose::kStudent);
    arena_.seal();
  }

  StepTimes step(std::size_t index) override {
    const double begin_s = rank::now_s();
    const Batch<T> batch = data_.batch(index);
    const double data_s = clock_.now_s();
    const model::Pass pass{.seed = options_.seed,
                           .step = static_cast<std::uint32_t>(index),
                           .first_sample = first_sample_};
    const model::Input<T> input{.values = batch.inputs};
    const double loss = compute_loss(model_->forward(input, pass), batch);
    const double forward_s = clock_.now_s();
    sync_.begin();
    ready_elements_ = 0;
    model_->backward(input, gradients_ready_);
    const double backward_s = clock_.now_s();
    sync_.finish();
    const double sync_s = clock_.now_s();
    update(index);
    const double end_s = rank::now_s();

    const sync::CommunicationTimes& communication = sync_.times();
    StepTimes times{};
    times[kStepTime] = end_s - begin_s;
    times[kLoss] = loss;
    if (!clock_.is_on()) {
      return times;  // make_series leaves the phases out
    }
    times[kDataTime] = data_s - begin_s;
    times[kForwardTime] = forward_s - data_s;
    times[kBackwardTime] = backward_s - forward_s - communication.in_backward_s;
    times[kExposedCommunication] = communication.exposed_s;
    times[kOptimizerTime] = end_s - sync_s;
    times[kOtherTime] = times[kStepTime] - times[kDataTime] - times[kForwardTime] -
                        times[kBackwardTime] - times[kExposedCommunication] - times[kOptimizerTime];
    times[kCommunicationTime] = communication.total_s;
    return times;
  }

  const std::vector<sync::Bucket>& buckets() const override { return buckets_; }
  std::size_t gradient_bytes() const override { return model_->gradients().size_bytes(); }
  std::size_t peak_bytes() const override { return arena_.bytes(); }

  // Multiply and rotate over 64-bit words (a tail of 4 bytes is padded with zeros).
  std::uint64_t parameter_hash() const override {
    const std::span<const std::byte> bytes = std::as_bytes(model_->parameters());
    std::uint64_t hash = bytes.size();
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, std::min(sizeof(word), bytes.size() - i));
      hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29U;
    }
    return hash;
  }

  std::vector<double> parameters() const override {
    return {model_->parameters().begin(), model_->parameters().end()};
  }

 private:
  // This rank's part of the mean loss; the output becomes the gradient of that mean. Scaled by the
  // global batch, gradients only need to be summed over ranks.
  double compute_loss(ops::Matrix<T> output, const Batch<T>& batch) {
    const double scale = 1.0 / static_cast<double>(options_.batch_global);
    *loss_ = 0.0;
    if (options_.loss == Loss::kCrossEntropy) {
      ops_->softmax_cross_entropy(output, batch.labels, scale, loss_);
    } else {
      ops_->mean_squared_error(output, batch.targets, scale, loss_);
    }
    return *loss_;
  }

  void update(std::size_t index) {
    const auto rate = static_cast<T>(options_.learning_rate);
    const auto decay = static_cast<T>(options_.weight_decay);
    const std::span<T> parameters = model_->parameters();
    const T* gradients = model_->gradients().data();
    if (options_.optimizer == Optimizer::kSgd) {
      const ops::Sgd<T> rule{rate, static_cast<T>(options_.momentum), decay};
      ops_->update(rule, {parameters, gradients}, velocity_.data());
      return;
    }
    const auto number = static_cast<double>(index + 1);
    const ops::AdamW<T> rule{
        .learning_rate = rate,
        .beta1 = static_cast<T>(kBeta1),
        .beta2 = static_cast<T>(kBeta2),
        .epsilon = static_cast<T>(1e-8),
        .weight_decay = decay,
        .m_correction = static_cast<T>(1.0 / (1.0 - std::pow(kBeta1, number))),
        .v_correction = static_cast<T>(1.0 / (1.0 - std::pow(kBeta2, number)))};
    ops_->update(rule, {parameters, gradients}, velocity_.data(), second_moment_.data());
  }

  static constexpr double kBeta1 = 0.9;
  static constexpr double kBeta2 = 0.999;

  Options options_;
  std::uint32_t first_sample_;
  std::unique_ptr<device::Device> device_ = device::make_cpu_device();
  device::Arena arena_{*device_};
  std::unique_ptr<ops::Ops<T>> ops_;
  std::unique_ptr<model::Model<T>> model_;
  Dataset<T> data_;
  std::span<T> velocity_;       // first moment for AdamW
  std::span<T> second_moment_;  // AdamW only
  std::vector<sync::Bucket> buckets_;
  std::unique_ptr<comm::Comm> comm_;
  sync::DdpSync sync_;
  rank::PhaseClock clock_;
  model::GradientsReady gradients_ready_;
  std::size_t ready_elements_ = 0;
  double* loss_;
};

}  // namespace

std::unique_ptr<Trainer> make_trainer(const Options& options, const rank::World& world) {
  if (options.is_double) {
    return std::make_unique<TypedTrainer<double>>(options, world);
  }
  return std::make_unique<TypedTrainer<float>>(options, world);
}

}  // namespace scalestudy::train
