#include "workloads/sync/buckets.h"

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

}  // namespace scalestudy::sync
