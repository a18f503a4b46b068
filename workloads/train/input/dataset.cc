#include "workloads/train/input/dataset.h"

#include <algorithm>

#include "workloads/train/input/records.h"
#include "workloads/train/input/samples.h"
#include "workloads/train/input/tokens.h"

namespace scalestudy::train {
namespace {

// Training samples are numbered from 0 and there are at most 10^9 of them.
constexpr std::uint32_t kFirstHeldOut = 0x80000000U;

// That a rank reads of a batch, in memory.
std::size_t record_part_bytes(const Options& options) {
  return options.batch_per_device *
         record_part(model::sample_shape(options.model), parts_read(options)).bytes;
}

}  // namespace

Options held_out_options(const Options& options) {
  Options held_out = options;
  held_out.train_samples = options.held_out_samples;
  held_out.first_sample = kFirstHeldOut;
  held_out.data_file.reset();
  return held_out;
}

template <typename T>
std::size_t Dataset<T>::batch_count(const Options& options) {
  if (options.data_file) {
    return options.data_file->prefetch + 1;
  }
  if (options.train_samples > 0) {
    return options.train_samples / options.batch_global;
  }
  const bool is_tokens = model::sample_shape(options.model).is_tokens;
  return std::min(is_tokens ? kTokenBatches : kBatches, options.most_steps());
}

template <typename T>
std::size_t Dataset<T>::input_stride(const Options& options) {
  const model::SampleShape shape = model::sample_shape(options.model);
  const std::size_t multiple = shape.is_tokens ? 1 : 16 / sizeof(T);
  const std::size_t dense =
      options.batch_per_device / options.accumulation_steps * shape.input_width;
  return (dense + multiple - 1) / multiple * multiple;
}

template <typename T>
std::size_t Dataset<T>::bytes(const Options& options) {
  const model::SampleShape shape = model::sample_shape(options.model);
  const SampleParts parts = parts_read(options);
  const std::size_t inputs = options.accumulation_steps * input_stride(options) *
                             (shape.is_tokens ? sizeof(std::int32_t) : sizeof(T));
  const std::size_t answer = options.loss == Loss::kCrossEntropy ? shape.rows * sizeof(std::int32_t)
                                                                 : shape.output_width * sizeof(T);
  const std::size_t batch =
      (parts.has_input ? inputs : 0) + (parts.has_labels ? options.batch_per_device * answer : 0);
  const bool has_records = options.data_file && options.backend == Backend::kCpu;
  return batch_count(options) * batch + (has_records ? record_part_bytes(options) : 0);
}

template <typename T>
std::size_t Dataset<T>::host_bytes(const Options& options) {
  return options.data_file && options.backend == Backend::kCuda
             ? bytes(options) + record_part_bytes(options)
             : 0;
}

template <typename T>
Dataset<T>::Dataset(const Options& options,
                    const rank::World& world,
                    model::Model<T>& model,
                    device::Arena& arena)
    : device_(arena.device()),
      batch_(options.batch_per_device),
      micro_batch_(options.batch_per_device / options.accumulation_steps),
      shape_(model::sample_shape(options.model)),
      parts_(parts_read(options)),
      batches_(batch_count(options)),
      input_stride_(input_stride(options)) {
  if (!parts_.are_any()) {
    if (options.data_file) {
      const SampleFile of_others(options, world);
    }
    return;
  }
  const std::size_t labelled = parts_.has_labels ? batches_ * batch_ : 0;
  const std::size_t read = parts_.has_input ? batches_ * batch_ : 0;
  if (options.loss == Loss::kCrossEntropy) {
    values_.labels = arena.take<std::int32_t>(labelled * shape_.rows);
  } else {
    targets_ = arena.take<T>(labelled * shape_.output_width);
  }
  if (shape_.is_tokens) {
    values_.tokens = arena.take<std::int32_t>(read * shape_.input_width);
  } else {
    values_.inputs = arena.take<T>(read / micro_batch_ * input_stride_);
  }
  if (options.data_file) {
    open_file(options, world, arena);
  } else if (shape_.is_tokens) {
    make_sequences(options, world.rank());
  } else {
    make_samples(options, world.rank());
  }
  if (!targets_.empty()) {
    make_targets(options, model);
  }
}

template <typename T>
void Dataset<T>::make_samples(const Options& options, int rank) {
  std::vector<Real> inputs(values_.inputs.size());
  std::vector<std::int32_t> labels(values_.labels.size());
  for (std::size_t i = 0; i < batches_ * batch_; ++i) {
    const std::uint32_t sample = global_sample(options, rank, i);
    const std::span<Real> input =
        parts_.has_input ? std::span(inputs).subspan(first_input(i), shape_.input_width)
                         : std::span<Real>();
    if (options.loss == Loss::kMeanSquaredError) {
      add_noise(input, options.seed, sample);
      continue;
    }
    const std::uint32_t of_class =
        add_class_sample(input, shape_.output_width, options.seed, sample);
    if (parts_.has_labels) {
      labels[i] = static_cast<std::int32_t>(
          noisy_label(of_class, shape_.output_width, options.label_noise, options.seed, sample));
    }
  }
  const std::vector<T> rounded(inputs.begin(), inputs.end());
  device_.copy_to_device(values_.inputs.data(), rounded.data(), values_.inputs.size_bytes());
  device_.copy_to_device(values_.labels.data(), labels.data(), values_.labels.size_bytes());
}

template <typename T>
void Dataset<T>::make_targets(const Options& options, model::Model<T>& model) {
  model.initialise(options.seed, ops::Purpose::kTeacher);
  const model::Pass pass{.seed = options.seed, .is_training = false};
  std::vector<T> host(micro_batch_ * shape_.output_width);
  for (std::size_t first = 0; first < batches_ * batch_; first += micro_batch_) {
    const ops::Matrix<T> output =
        model.forward({.values = values_.inputs.data() + first_input(first)}, pass);
    const std::size_t bytes = host.size() * sizeof(T);
    device_.copy_to_host(host.data(), output.data, bytes);
    device_.copy_to_device(targets_.data() + first * shape_.output_width, host.data(), bytes);
  }
}

template <typename T>
void Dataset<T>::make_sequences(const Options& options, int rank) {
  const std::size_t count = shape_.input_width;
  std::vector<std::int32_t> tokens(values_.tokens.size());
  std::vector<std::int32_t> labels(values_.labels.size());
  std::vector<std::int32_t> sequence(count + 1);
  for (std::size_t i = 0; i < batches_ * batch_; ++i) {
    fill_sequence(sequence, shape_.output_width, options.seed, global_sample(options, rank, i));
    if (parts_.has_input) {
      std::copy_n(sequence.data(), count, tokens.data() + i * count);
    }
    if (parts_.has_labels) {
      std::copy_n(sequence.data() + 1, count, labels.data() + i * count);
    }
  }
  device_.copy_to_device(values_.tokens.data(), tokens.data(), values_.tokens.size_bytes());
  device_.copy_to_device(values_.labels.data(), labels.data(), values_.labels.size_bytes());
}

template <typename T>
void Dataset<T>::open_file(const Options& options, const rank::World& world, device::Arena& arena) {
  uploads_ = make_uploads(device_, batches_);
  decoded_ = values_;
  if (uploads_ != nullptr) {
    decoded_ = {uploads_->arena->template take<T>(values_.inputs.size()),
                uploads_->arena->template take<std::int32_t>(values_.tokens.size()),
                uploads_->arena->template take<std::int32_t>(values_.labels.size())};
  }
  device::Arena& on_host = uploads_ == nullptr ? arena : *uploads_->arena;
  file_ = std::make_unique<FileInput>(
      options,
      world,
      on_host.take<std::uint8_t>(record_part_bytes(options)),
      [this](std::size_t i, std::span<const std::uint8_t> part) { decode(i, part); },
      [this](std::size_t slot) { upload(slot); });
}

template <typename T>
template <typename Value>
void Dataset<T>::upload(std::size_t slot, std::span<const Value> from, std::span<Value> to) {
  const std::size_t count = to.size() / batches_;
  if (count > 0) {
    uploads_->copies->write(slot, &to[slot * count], &from[slot * count], count * sizeof(Value));
  }
}

template <typename T>
void Dataset<T>::upload(std::size_t slot) {
  if (uploads_ != nullptr) {
    upload<T>(slot, decoded_.inputs, values_.inputs);
    upload<std::int32_t>(slot, decoded_.tokens, values_.tokens);
    upload<std::int32_t>(slot, decoded_.labels, values_.labels);
  }
}

template <typename T>
void Dataset<T>::decode(std::size_t i, std::span<const std::uint8_t> part) {
  const auto bytes_of = [&](const RecordPart& wanted) {
    return part.subspan(wanted.first - record_part(shape_, parts_).first, wanted.bytes);
  };
  const std::size_t width = shape_.input_width;
  if (parts_.has_input && shape_.is_tokens) {
    decode_integers(
        shape_, bytes_of(input_part(shape_)), decoded_.tokens.subspan(first_input(i), width));
  } else if (parts_.has_input) {
    decode_values(bytes_of(input_part(shape_)), decoded_.inputs.subspan(first_input(i), width));
  }
  if (parts_.has_labels) {
    decode_integers(shape_,
                    bytes_of(label_part(shape_)),
                    decoded_.labels.subspan(i * shape_.rows, shape_.rows));
  }
}

template <typename T>
void Dataset<T>::fetch(std::size_t step) {
  if (file_ != nullptr) {
    if (uploads_ != nullptr && step > 0) {
      uploads_->copies->give_back((step - 1) % batches_);
    }
    file_->wait_for(step);
  }
}

template <typename T>
std::uint32_t Dataset<T>::global_sample(const Options& options, int rank, std::size_t i) const {
  return options.first_sample +
         static_cast<std::uint32_t>(i / batch_ * options.batch_global +
                                    first_of_share(options, static_cast<std::size_t>(rank)) +
                                    i % batch_);
}

template <typename T>
Batch<T> Dataset<T>::batch(std::size_t step, std::size_t micro_step) const {
  const std::size_t first = step % batches_ * batch_ + micro_step * micro_batch_;
  return {{.values = values_.inputs.empty() ? nullptr : values_.inputs.data() + first_input(first),
           .tokens = values_.tokens.empty() ? nullptr : values_.tokens.data() + first_input(first)},
          values_.labels.empty() ? nullptr : values_.labels.data() + first * shape_.rows,
          targets_.empty() ? nullptr : targets_.data() + first * shape_.output_width};
}

template class Dataset<float>;
template class Dataset<double>;
template class Dataset<device::Bf16>;
template class Dataset<device::Half>;

}  // namespace scalestudy::train
