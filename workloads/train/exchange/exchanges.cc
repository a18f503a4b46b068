#include "workloads/train/exchange/exchanges.h"

#include "workloads/sync/sharded.h"
#include "workloads/train/layout/layout.h"

namespace scalestudy::train {

std::size_t gradient_wire_bytes(const Options& options, std::span<const sync::Bucket> buckets) {
  const std::size_t element = element_bytes(options.precision);
  std::size_t bytes = 0;
  for (const sync::Bucket& bucket : buckets) {
    const std::size_t count = bucket.size_bytes / element;
    if (has_top_k(options)) {
      bytes += sync::top_k_bytes(options.top_k, count, element);
    } else {
      const bool has_type = options.wire_type && options.ranks() > 1;
      bytes += count * (has_type ? device::size_bytes(*options.wire_type) : element);
    }
  }
  return bytes;
}

std::size_t wire_bytes(const Options& options, std::span<const sync::Bucket> buckets) {
  return make_exchange<float>(options)->wire_bytes(buckets);
}

std::size_t traffic_bytes(const Options& options, std::span<const model::Unit> units) {
  const model::Unit& last = units.back();
  const std::size_t own_bytes = (last.offset + last.elements) * element_bytes(options.precision);
  const std::size_t gradient_bytes = wire_bytes(options, make_buckets(options, units));
  if (has_top_k(options)) {
    return gradient_bytes * (options.ranks() - 1);
  }
  std::size_t moved_bytes =
      options.sharding == Sharding::kNone ? 2 * gradient_bytes : gradient_bytes + own_bytes;
  if (sums_squares(options)) {
    moved_bytes += 2 * sizeof(double);
  }
  if (options.sharding == Sharding::kAll) {
    for (const sync::ShardedUnit& unit : sharded_units(options, units)) {
      moved_bytes += unit.is_kept ? 0 : unit.count * element_bytes(options.precision);
    }
  }
  return moved_bytes * (options.ranks() - 1) / options.ranks();
}

std::size_t node_traffic_bytes(const Options& options, std::size_t node_ranks) {
  const std::size_t nodes = options.ranks() / node_ranks;
  const std::size_t bytes = wire_bytes(options, make_buckets(options, {}));
  return 2 * bytes * (nodes - 1) / (nodes * node_ranks);
}

}  // namespace scalestudy::train
