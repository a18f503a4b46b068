// The data a rank trains on: synthetic samples with a known best loss, keyed by global sample, so
// that they do not depend on the number of ranks; or samples of a file, decoded for each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "workloads/device/arena.h"
#include "workloads/model/model.h"
#include "workloads/rank/world.h"
#include "workloads/train/device/backend.h"
#include "workloads/train/input/file_input.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// One rank's share of a micro-step's batch, B samples, in device memory. Pointers are null for what
// the rank does not read (parts_read() of sample_file.h).
template <typename T>
struct Batch {
  model::Input<T> input;
  const std::int32_t* labels;  // (B), of tokens (B, tokens): for cross entropy
  const T* targets;            // (B, output width), for the squared error
};

// Synthetic data: an epoch's batches, or a few, made at set-up and cycled through in the same
// order, so that a step reads its data from memory.
// - cross entropy: inputs scatter around one random centre for each class. The classes separate, so
//   that the best loss is 0. With label noise q and K classes a share q of labels is one of the
//   K - 1 others, equally often: if 1 - q > q / (K - 1), no accuracy above 1 - q can be expected.
// - squared error: targets are the outputs of the same network with other random parameters and no
//   dropout. The best loss is 0 for networks without dropout; one with it (mlp-258k, mlp-6.9m)
//   cannot match such targets, and one with batch normalisation has its own batches' statistics.
// - tokens: each token's label is the next one of its sequence. The best loss on fresh sequences is
//   7/4 bits (tokens.h), the best accuracy that of the likeliest successor, 1/2. There are many
//   batches, because few would be learned by heart.
// Data from a file (file_input.h): the batches of the step that computes and of those read ahead,
// with cross entropy; on a GPU decoded in pinned memory of the host, and copied from it. A rank has
// only what it reads of them.
template <typename T>
class Dataset {
 public:
  static constexpr std::size_t kBatches = 4;
  static constexpr std::size_t kTokenBatches = 256;

  // Number of batches: step s uses batch s modulo this.
  static std::size_t batch_count(const Options& options);

  // Bytes of device memory that a data set takes; options of for_rank().
  static std::size_t bytes(const Options& options);
  // Bytes of the host's pinned memory that it takes besides.
  static std::size_t host_bytes(const Options& options);

  // With data from a file: collective, and throws as SampleFile().
  // - model: makes the targets, for one micro-step's batch at a time; its parameters are
  //   overwritten.
  Dataset(const Options& options,
          const rank::World& world,
          model::Model<T>& model,
          device::Arena& arena);
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
  ~Dataset() = default;

  // Returns once the step's batch is there: at once for synthetic data. Steps are asked for in
  // order, from the options' first on; batches of earlier ones may be overwritten from here on.
  void fetch(std::size_t step);

  // A micro-step's batch of the step that was fetched last.
  Batch<T> batch(std::size_t step, std::size_t micro_step) const;

  FileInput* file() const { return file_.get(); }  // nullptr: data are synthetic
  // Bytes of pinned memory that were taken.
  std::size_t uploaded_from_bytes() const {
    return uploads_ == nullptr ? 0 : uploads_->arena->bytes();
  }

 private:
  using Real = device::Real<T>;

  // Batches one after another.
  struct Values {
    std::span<T> inputs;             // (batches * micro-steps, input stride), empty for tokens
    std::span<std::int32_t> tokens;  // (batches, batch, tokens), empty for values
    std::span<std::int32_t> labels;  // (batches, batch, rows), empty for the squared error
  };

  // Elements from one micro-step's inputs to the next: convolutions want each aligned to 16 bytes.
  // Tokens lie without gaps.
  static std::size_t input_stride(const Options& options);

  void make_samples(const Options& options, int rank);
  void make_targets(const Options& options, model::Model<T>& model);
  void make_sequences(const Options& options, int rank);
  void open_file(const Options& options, const rank::World& world, device::Arena& arena);
  // Copies a slot's batch to the device, unless it was decoded there.
  void upload(std::size_t slot);
  template <typename Value>
  void upload(std::size_t slot, std::span<const Value> from, std::span<Value> to);
  // Decodes the part that was read of the record of sample i of this rank's share.
  void decode(std::size_t i, std::span<const std::uint8_t> part);
  // The element where the inputs of sample i of this rank's share begin.
  std::size_t first_input(std::size_t i) const {
    return i / micro_batch_ * input_stride_ + i % micro_batch_ * shape_.input_width;
  }
  // The number, over all steps and ranks, of sample i of this rank's share.
  std::uint32_t global_sample(const Options& options, int rank, std::size_t i) const;

  device::Device& device_;
  std::size_t batch_;        // samples of a step on this rank
  std::size_t micro_batch_;  // samples of a micro-step on this rank
  model::SampleShape shape_;
  SampleParts parts_;
  std::size_t batches_;
  std::size_t input_stride_;
  Values values_;                     // in device memory
  std::span<T> targets_;              // (batches, batch, output width), empty for cross entropy
  std::unique_ptr<Uploads> uploads_;  // nullptr: synthetic, or on the CPU
  Values decoded_;                    // batches from a file, in the host's memory
  // The last member, because its thread writes to the others.
  std::unique_ptr<FileInput> file_;
};

// The options of a data set of the held-out samples, which are in no training set.
// - options: with held-out samples.
Options held_out_options(const Options& options);

extern template class Dataset<float>;
extern template class Dataset<double>;
extern template class Dataset<device::Bf16>;
extern template class Dataset<device::Half>;

}  // namespace scalestudy::train
