#include <algorithm>
#include <cmath>
#include <cstring>

#include "workloads/ops/top_k.h"

namespace scalestudy::ops {
namespace {

// Of a part, whose values need not be aligned.
template <typename Value>
void put(std::byte* values, std::size_t i, Value value) {
  std::memcpy(values + i * sizeof(Value), &value, sizeof(Value));
}

template <typename Value>
Value get(const std::byte* values, std::size_t i) {
  Value value{};
  std::memcpy(&value, values + i * sizeof(Value), sizeof(Value));
  return value;
}

constexpr std::size_t kSizes = std::size_t{1} << 16U;

// The leading bits of a number's size: larger numbers have no smaller ones.
std::size_t size_of(float value) {
  return (device::float_bits(value) & 0x7FFFFFFFU) >> 15U;
}
std::size_t size_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits & 0x7FFFFFFFFFFFFFFFU) >> 47U;
}

template <typename T>
class CpuTopK final : public TopK<T> {
  using Real = device::Real<T>;

 public:
  CpuTopK(std::size_t most, device::Arena& arena)
      : candidates_(arena.take<std::uint32_t>(most)), counts_(arena.take<std::uint32_t>(kSizes)) {}

  void pack(std::span<const T> gradients,
            std::span<Real> residuals,
            std::size_t sent,
            std::byte* part) override {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      residuals[i] += static_cast<Real>(gradients[i]);
    }
    std::byte* const places = part + sent * sizeof(T);
    std::size_t count = 0;
    const auto send = [&](std::size_t i) {
      const T value(residuals[i]);
      put(part, count, value);
      put(places, count, static_cast<std::uint32_t>(i));
      residuals[i] -= static_cast<Real>(value);
      ++count;
    };
    const auto [least, of_least] = least_size(residuals, sent);
    std::size_t like_least = 0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      const std::size_t size = size_of(residuals[i]);
      if (size > least) {
        send(i);
      } else if (size == least) {
        candidates_[like_least++] = static_cast<std::uint32_t>(i);
      }
    }
    const auto begin = candidates_.begin();
    if (of_least < like_least) {
      std::nth_element(begin,
                       begin + static_cast<std::ptrdiff_t>(of_least),
                       begin + static_cast<std::ptrdiff_t>(like_least),
                       [&](std::uint32_t a, std::uint32_t b) {
                         const Real size_a = std::abs(residuals[a]);
                         const Real size_b = std::abs(residuals[b]);
                         return size_a != size_b ? size_a > size_b : a < b;
                       });
    }
    for (std::size_t i = 0; i < of_least; ++i) {
      send(candidates_[i]);
    }
  }

  void unpack(const std::byte* parts,
              std::size_t ranks,
              std::size_t sent,
              std::span<T> gradients) override {
    std::fill(gradients.begin(), gradients.end(), T(0));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::byte* const values = parts + rank * top_k_part_bytes(sent, sizeof(T));
      const std::byte* const places = values + sent * sizeof(T);
      for (std::size_t i = 0; i < sent; ++i) {
        const auto place = get<std::uint32_t>(places, i);
        if (place < gradients.size()) {
          gradients[place] = static_cast<T>(gradients[place] + get<T>(values, i));
        }
      }
    }
  }

 private:
  // What the smallest that travel are.
  struct Least {
    std::size_t size;   // their leading bits
    std::size_t count;  // how many of those with the same travel
  };

  // One pass over leading bits leaves few to be compared: a step of mlp-6.9m on two ranks takes 23
  // ms, and 77 ms with a selection among all of a bucket.
  Least least_size(std::span<const Real> values, std::size_t count) {
    std::fill(counts_.begin(), counts_.end(), 0U);
    for (const Real value : values) {
      ++counts_[size_of(value)];
    }
    std::size_t size = kSizes - 1;
    for (; counts_[size] < count; --size) {
      count -= counts_[size];
    }
    return {size, count};
  }

  std::span<std::uint32_t> candidates_;
  std::span<std::uint32_t> counts_;  // of gradients by size
};

}  // namespace

template <typename T>
std::unique_ptr<TopK<T>> make_cpu_top_k(std::size_t most, device::Arena& arena) {
  return std::make_unique<CpuTopK<T>>(most, arena);
}

template std::unique_ptr<TopK<float>> make_cpu_top_k(std::size_t, device::Arena&);
template std::unique_ptr<TopK<double>> make_cpu_top_k(std::size_t, device::Arena&);
template std::unique_ptr<TopK<device::Bf16>> make_cpu_top_k(std::size_t, device::Arena&);
template std::unique_ptr<TopK<device::Half>> make_cpu_top_k(std::size_t, device::Arena&);

}  // namespace scalestudy::ops
