#include "workloads/train/layout.h"

#include "workloads/model/padding.h"

namespace scalestudy::train {

model::Layout model_layout(const Options& options, std::size_t element_bytes) {
  if (options.sharding == Sharding::kNone) {
    return {};
  }
  return {.unit_multiple = options.ranks() * model::kTensorAlignmentBytes / element_bytes};
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
  return sync::make_buckets(bytes, options.first_bucket_bytes, options.bucket_bytes);
}

std::size_t traffic_bytes(const Options& options, std::span<const model::Unit> units) {
  const model::Unit& last = units.back();
  const std::size_t elements = last.offset + last.elements;
  const std::size_t own_bytes = elements * element_bytes(options.precision);
  const std::size_t gradient_bytes =
      options.wire_type ? elements * device::size_bytes(*options.wire_type) : own_bytes;
  const std::size_t moved_bytes =
      options.sharding == Sharding::kNone ? 2 * gradient_bytes : gradient_bytes + own_bytes;
  return moved_bytes * (options.ranks() - 1) / options.ranks();
}

}  // namespace scalestudy::train
