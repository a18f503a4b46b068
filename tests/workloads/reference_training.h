// Data-parallel training without the seam between training and the other ranks, as plainly as it
// can be written: what the product's `ddp` has to equal bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <mpi.h>

#include "workloads/model/make_model.h"
#include "workloads/train/device/backend.h"
#include "workloads/train/input/dataset.h"
#include "workloads/train/layout/layout.h"

namespace scalestudy::test {

struct ReferenceTraining {
  std::vector<double> losses;
  std::vector<double> parameters;
};

// MPI's two ways to sum add in different orders.
inline void sum_over_ranks(const train::Options& options, float* values, std::size_t count) {
  constexpr std::size_t piece_count = (std::size_t{8} << 20U) / sizeof(float);
  if (options.overlap == sync::Overlap::kPoll || options.overlap == sync::Overlap::kStartWait) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE,
                   values,
                   static_cast<int>(count),
                   MPI_FLOAT,
                   MPI_SUM,
                   MPI_COMM_WORLD,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  for (std::size_t first = 0; first < count; first += piece_count) {
    const int piece = static_cast<int>(std::min(piece_count, count - first));
    MPI_Allreduce(MPI_IN_PLACE, values + first, piece, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
}

// Of the sums of gradients and what stayed behind, a rank's largest by size travel, the first of
// equal ones, and all others stay behind. They are added in order of rank.
//   share  of (0, 1], which is rounded up to at least one
inline void sum_largest(double share, std::span<float> values, std::span<float> residuals) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    order[i] = i;
    residuals[i] += values[i];
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(residuals[a]) > std::abs(residuals[b]);
  });
  order.resize(static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))));
  std::vector<float> own(values.size());
  for (const std::size_t i : order) {
    own[i] = std::exchange(residuals[i], 0.0F);
  }
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<float> all(values.size() * static_cast<std::size_t>(ranks));
  const int count = static_cast<int>(values.size());
  MPI_Allgather(own.data(), count, MPI_FLOAT, all.data(), count, MPI_FLOAT, MPI_COMM_WORLD);
  std::fill(values.begin(), values.end(), 0.0F);
  for (std::size_t i = 0; i < all.size(); ++i) {
    values[i % values.size()] += all[i];
  }
}

// fp32, cross entropy, SGD, one micro-step, on the CPU.
class ReferenceTrainer {
 public:
  // The arguments must outlive the training.
  ReferenceTrainer(const train::Options& options, const rank::World& world)
      : options_(options),
        device_(device::make_cpu_device()),
        arena_(*device_),
        ops_(ops::make_cpu_ops<float>(options.threads)),
        model_(model::make_model<float>(options.model, options.batch_per_device, *ops_, arena_)),
        data_(options, world, *model_, arena_),
        velocity_(arena_.take<float>(model_->parameters().size())),
        residuals_(arena_.take<float>(model_->parameters().size())),
        buckets_(train::make_buckets(options, {})),
        first_sample_(static_cast<std::uint32_t>(static_cast<std::size_t>(world.rank()) *
                                                 options.batch_per_device)) {
    model_->initialise(options.seed, ops::Purpose::kStudent);
  }

  // Computes the gradients of this rank's samples; returns its loss.
  double step(std::size_t index) {
    const model::SampleShape shape = model::sample_shape(options_.model);
    const double scale = 1.0 / static_cast<double>(options_.batch_global * shape.rows);
    const train::Batch<float> batch = data_.batch(index, 0);
    const model::Pass pass{.seed = options_.seed,
                           .step = static_cast<std::uint32_t>(index),
                           .first_sample = first_sample_};
    double loss = 0.0;
    ops_->softmax_cross_entropy(
        model_->forward(batch.input, pass), {batch.labels, shape.output_width}, scale, &loss);
    model_->backward(batch.input, [](std::size_t) {});
    for (const sync::Bucket& bucket : buckets_) {
      const std::size_t first = bucket.offset_bytes / sizeof(float);
      const std::size_t count = bucket.size_bytes / sizeof(float);
      if (options_.top_k > 0.0) {
        sum_largest(options_.top_k,
                    model_->gradients().subspan(first, count),
                    residuals_.subspan(first, count));
      } else {
        sum_over_ranks(options_, model_->gradients().data() + first, count);
      }
    }
    ops_->update(ops::Sgd<float>{static_cast<float>(options_.learning_rate),
                                 static_cast<float>(options_.momentum),
                                 static_cast<float>(options_.weight_decay)},
                 ops::Weights<float>{model_->parameters(), model_->gradients().data()},
                 velocity_.data());
    return loss;
  }

  std::vector<double> parameters() const {
    return {model_->parameters().begin(), model_->parameters().end()};
  }

 private:
  const train::Options& options_;
  std::unique_ptr<device::Device> device_;
  device::Arena arena_;
  std::unique_ptr<ops::Ops<float>> ops_;
  std::unique_ptr<model::Model<float>> model_;
  train::Dataset<float> data_;
  std::span<float> velocity_;
  std::span<float> residuals_;
  std::vector<sync::Bucket> buckets_;
  std::uint32_t first_sample_;
};

// `measured_steps` of them.
inline ReferenceTraining train_reference(const train::Options& options, const rank::World& world) {
  ReferenceTrainer trainer(options, world);
  ReferenceTraining result;
  for (std::size_t step = 0; step < options.measured_steps; ++step) {
    result.losses.push_back(trainer.step(step));
  }
  result.parameters = trainer.parameters();
  return result;
}

}  // namespace scalestudy::test
