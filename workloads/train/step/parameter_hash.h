// A short name for the bits of a model's parameters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace scalestudy::train {

// Adds bytes to a hash: multiply and rotate over 64-bit words, with a tail of up to 7 bytes padded
// with zeros. Two blocks after each other give the hash of both together if the first consists of
// whole words.
inline std::uint64_t add_to_hash(std::uint64_t hash, std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof(word), bytes.size() - i));
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

inline std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return add_to_hash(bytes.size(), bytes);
}

}  // namespace scalestudy::train
