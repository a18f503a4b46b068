// Divides gradients into buckets that travel together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalestudy::sync {

// A contiguous range of the flat gradient buffer.
struct Bucket {
  std::size_t offset_bytes;
  std::size_t size_bytes;
  std::size_t tensor_count;
};

// Walks tensors in the order their gradients become ready and closes a bucket once its size is at
// least its limit, so that a bucket may exceed it. Limits are in bytes, > 0.
// source: PyTorch, torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size; its
// defaults are 1 MiB for the first bucket (kDefaultFirstBucketBytes) and 25 MiB (bucket_cap_mb).
std::vector<Bucket> make_buckets(std::span<const std::size_t> tensor_bytes,
                                 double first_limit_bytes,
                                 double limit_bytes);

// The size of the largest bucket, bytes.
std::size_t largest_bytes(std::span<const Bucket> buckets);

}  // namespace scalestudy::sync
