#include "workloads/train/layout/layout.h"

#include "workloads/device/arena.h"
#include "workloads/device/device.h"
#include "workloads/model/make_model.h"
#include "workloads/model/shape/padding.h"
#include "workloads/ops/ops.h"
#include "workloads/train/layout/pipeline.h"

namespace scalestudy::train {

model::Layout model_layout(const Options& options, std::size_t element_bytes) {
  if (options.pipeline.is_on()) {
    return {.has_parameters = false,
            .has_gradients = false,
            .checkpoint_every = options.checkpoint_every,
            .units = stage_units(options)};
  }
  if (options.sharding == Sharding::kNone) {
    return {.checkpoint_every = options.checkpoint_every};
  }
  return {.unit_multiple = options.ranks() * model::kTensorAlignmentBytes / element_bytes,
          .has_parameters = options.sharding != Sharding::kAll,
          .has_gradients = options.sharding == Sharding::kOptimizer,
          .checkpoint_every = options.checkpoint_every};
}

std::vector<model::Unit> plan_units(const Options& options) {
  const auto planning = device::make_planning_device();
  device::Arena arena(*planning);
  const std::size_t size = element_bytes(options.precision);
  const auto units = [&](const auto& ops) {
    return model::make_model(options.model, 1, *ops, arena, model_layout(options, size))->units();
  };
  if (size == sizeof(double)) {
    return units(ops::make_cpu_ops<double>(options.threads));
  }
  return size == sizeof(float) ? units(ops::make_cpu_ops<float>(options.threads))
                               : units(ops::make_cpu_ops<device::Bf16>(options.threads));
}

std::size_t element_bytes(Precision precision) {
  switch (precision) {
    case Precision::kFp64:
      return sizeof(double);
    case Precision::kBf16:
    case Precision::kFp16:
      return sizeof(device::Half);
    case Precision::kFp32:
    case Precision::kTf32:
      break;
  }
  return sizeof(float);
}

bool sums_squares(const Options& options) {
  return options.sharding != Sharding::kNone &&
         (options.clip_norm > 0.0 || options.precision == Precision::kFp16);
}

bool is_replicated(const Options& options) {
  return options.sharding == Sharding::kNone && options.transport != Transport::kNoop &&
         options.payload == sync::Payload::kBuckets;
}

std::vector<sync::Bucket> make_buckets(const Options& options, std::span<const model::Unit> units) {
  const std::size_t size = element_bytes(options.precision);
  std::vector<std::size_t> bytes;
  if (options.sharding == Sharding::kNone) {
    bytes = model::padded_elements(options.model, size);
  } else {
    for (const model::Unit& unit : units) {
      bytes.push_back(unit.elements);
    }
  }
  std::size_t all = 0;
  for (std::size_t& count : bytes) {
    count *= size;
    all += count;
  }
  if (options.is_serial) {
    return sync::make_buckets(bytes, static_cast<double>(all), static_cast<double>(all));
  }
  if (options.sharding == Sharding::kGradients || options.sharding == Sharding::kAll) {
    return sync::make_buckets(bytes, 1.0, 1.0);
  }
  return sync::make_buckets(bytes, options.first_bucket_bytes, options.bucket_bytes);
}

std::vector<sync::GradientTensor> gradient_tensors(const Options& options) {
  const std::vector<model::TensorShape> shapes = model::padded_shapes(options.model);
  const std::vector<std::size_t> elements =
      model::padded_elements(options.model, element_bytes(options.precision));
  std::vector<sync::GradientTensor> tensors;
  std::size_t first = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    tensors.push_back({.first = first, .rows = shapes[i].rows, .columns = shapes[i].columns});
    first += elements[i];
  }
  return tensors;
}

std::vector<sync::ShardedUnit> sharded_units(const Options& options,
                                             std::span<const model::Unit> units) {
  std::vector<sync::ShardedUnit> sharded;
  for (const model::Unit& unit : units) {
    const bool is_kept =
        unit.is_kept || (options.sharding == Sharding::kAll && !options.is_resharded);
    sharded.push_back({.offset = unit.offset, .count = unit.elements, .is_kept = is_kept});
  }
  return sharded;
}

std::size_t parameter_turns(const Options& options) {
  return options.overlap == sync::Overlap::kPoll || options.overlap == sync::Overlap::kBackground
             ? options.prefetch + 1
             : 1;
}

std::size_t gradient_turns(const Options& options) {
  return options.overlap == sync::Overlap::kPoll || options.overlap == sync::Overlap::kBackground
             ? 2
             : 1;
}

}  // namespace scalestudy::train
