#include "workloads/sync/buckets.h"

#include <algorithm>

namespace scalestudy::sync {

std::vector<Bucket> make_buckets(std::span<const std::size_t> tensor_bytes,
                                 double first_limit_bytes,
                                 double limit_bytes) {
  std::vector<Bucket> buckets;
  Bucket open{0, 0, 0};
  const auto close = [&] {
    buckets.push_back(open);
    open = {open.offset_bytes + open.size_bytes, 0, 0};
  };
  for (const std::size_t bytes : tensor_bytes) {
    open.size_bytes += bytes;
    ++open.tensor_count;
    const double limit = buckets.empty() ? first_limit_bytes : limit_bytes;
    if (static_cast<double>(open.size_bytes) >= limit) {
      close();
    }
  }
  if (open.tensor_count > 0) {
    close();
  }
  return buckets;
}

std::size_t largest_bytes(std::span<const Bucket> buckets) {
  std::size_t largest = 0;
  for (const Bucket& bucket : buckets) {
    largest = std::max(largest, bucket.size_bytes);
  }
  return largest;
}

}  // namespace scalestudy::sync
