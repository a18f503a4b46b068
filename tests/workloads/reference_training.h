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
#include "workloads/train/backend.h"
#include "workloads/train/dataset.h"
#include "workloads/train/layout.h"

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

// fp32, cross entropy, SGD, one micro-step, on the CPU: `measured_steps` of them.
inline ReferenceTraining train_reference(const train::Options& options, const rank::World& world) {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  const auto ops = ops::make_cpu_ops<float>(options.threads);
  const auto model = model::make_model<float>(options.model, options.batch_per_device, *ops, arena);
  const train::Dataset<float> data(options, world, *model, arena);
  const std::span<float> velocity = arena.take<float>(model->parameters().size());
  const std::span<float> residuals = arena.take<float>(model->parameters().size());
  model->initialise(options.seed, ops::Purpose::kStudent);
  const model::SampleShape shape = model::sample_shape(options.model);
  const double scale = 1.0 / static_cast<double>(options.batch_global * shape.rows);
  ReferenceTraining result;
  for (std::size_t step = 0; step < options.measured_steps; ++step) {
    const train::Batch<float> batch = data.batch(step, 0);
    const model::Pass pass{.seed = options.seed,
                           .step = static_cast<std::uint32_t>(step),
                           .first_sample = static_cast<std::uint32_t>(
                               static_cast<std::size_t>(world.rank()) * options.batch_per_device)};
    double loss = 0.0;
    ops->softmax_cross_entropy(
        model->forward(batch.input, pass), {batch.labels, shape.output_width}, scale, &loss);
    model->backward(batch.input, [](std::size_t) {});
    for (const sync::Bucket& bucket : train::make_buckets(options, {})) {
      const std::size_t first = bucket.offset_bytes / sizeof(float);
      const std::size_t count = bucket.size_bytes / sizeof(float);
      if (options.top_k > 0.0) {
        sum_largest(options.top_k,
                    model->gradients().subspan(first, count),
                    residuals.subspan(first, count));
      } else {
        sum_over_ranks(options, model->gradients().data() + first, count);
      }
    }
    ops->update(ops::Sgd<float>{static_cast<float>(options.learning_rate),
                                static_cast<float>(options.momentum),
                                static_cast<float>(options.weight_decay)},
                ops::Weights<float>{model->parameters(), model->gradients().data()},
                velocity.data());
    result.losses.push_back(loss);
  }
  result.parameters.assign(model->parameters().begin(), model->parameters().end());
  return result;
}

}  // namespace scalestudy::test
