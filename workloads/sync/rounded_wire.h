// Gradients that are rounded to another type, summed in it and sent in it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/ops/ops.h"
#include "workloads/sync/wire.h"

namespace scalestudy::sync {

template <typename T>
class RoundedWire final : public Wire {
 public:
  // All outlive this.
  RoundedWire(ops::Ops<T>& ops,
              device::Arena& arena,
              std::span<T> gradients,
              const std::vector<Bucket>& buckets,
              device::DataType type)
      : ops_(ops),
        gradients_(gradients),
        buckets_(buckets),
        type_(type),
        wire_(arena.take<std::byte>(gradients.size() * device::size_bytes(type))) {}

  bool is_gathered() const override { return false; }

  comm::Buffer pack(std::size_t bucket) override {
    const std::span<T> gradients = gradients_of(bucket);
    const ops::Packed packed = packed_of(bucket);
    ops_.pack(gradients, packed);
    return {packed.data, gradients.size(), type_};
  }

  void unpack(std::size_t bucket) override { ops_.unpack(packed_of(bucket), gradients_of(bucket)); }

 private:
  std::span<T> gradients_of(std::size_t bucket) const {
    const Bucket& place = buckets_[bucket];
    return gradients_.subspan(place.offset_bytes / sizeof(T), place.size_bytes / sizeof(T));
  }
  ops::Packed packed_of(std::size_t bucket) const {
    const std::size_t first = buckets_[bucket].offset_bytes / sizeof(T);
    return {&wire_[first * device::size_bytes(type_)], type_};
  }

  ops::Ops<T>& ops_;
  std::span<T> gradients_;
  const std::vector<Bucket>& buckets_;
  device::DataType type_;
  std::span<std::byte> wire_;
};

}  // namespace scalestudy::sync
