// What the tests of the CUDA backend share. Without a GPU a test ends with 77, which CTest shows as
// skipped; with SCALESTUDY_REQUIRE_GPU set it fails instead.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "workloads/cuda/backend.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"

namespace scalestudy::test {

inline cuda::Backend& require_gpu() {
  try {
    return cuda::load_backend();
  } catch (const rank::WorkloadError& error) {
    if (error.exit_code() != protocol::kExitUnsupported ||
        // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes it
        std::getenv("SCALESTUDY_REQUIRE_GPU") != nullptr) {
      throw;
    }
    std::printf("skipped: %s\n", error.what());
    std::fflush(stdout);
    std::_Exit(protocol::kExitUnsupported);
  }
}

template <typename T>
std::unique_ptr<ops::Ops<T>> make_gpu_ops(device::Arena& arena, const ops::CudaOptions& options) {
  if constexpr (std::is_same_v<T, float>) {
    return require_gpu().make_float_ops(arena, options);
  } else if constexpr (std::is_same_v<T, device::Bf16>) {
    return require_gpu().make_bf16_ops(arena, options);
  } else {
    return require_gpu().make_half_ops(arena, options);
  }
}

// A device with operations on it: double is the CPU's reference, other types are the GPU's.
template <typename T>
class Side {
 public:
  using Element = T;
  using Real = device::Real<T>;
  static constexpr bool kIsReference = std::is_same_v<T, double>;

  explicit Side(const ops::CudaOptions& options = {})
      : device_(make_device()), arena(*device_), ops(make_ops(options)) {}

  // Device memory with these values, rounded.
  template <typename Value>
  Value* put_as(const std::vector<double>& values) {
    const std::vector<Value> host(values.begin(), values.end());
    Value* const block = arena.template take<Value>(host.size()).data();
    device_->copy_to_device(block, host.data(), host.size() * sizeof(Value));
    return block;
  }
  T* put(const std::vector<double>& values) { return put_as<T>(values); }

  // Room for `count` results, which holds something else before.
  T* room(std::size_t count) { return put(std::vector<double>(count, 77.0)); }

  template <typename Value>
  std::vector<double> get(const Value* block, std::size_t count) {
    std::vector<Value> host(count);
    device_->copy_to_host(host.data(), block, count * sizeof(Value));
    return {host.begin(), host.end()};
  }

 private:
  std::unique_ptr<device::Device> make_device() {
    if constexpr (kIsReference) {
      return device::make_cpu_device();
    } else {
      return require_gpu().make_device(0);
    }
  }
  std::unique_ptr<ops::Ops<T>> make_ops(const ops::CudaOptions& options) {
    if constexpr (kIsReference) {
      return ops::make_cpu_ops<double>(1);
    } else {
      return make_gpu_ops<T>(arena, options);
    }
  }

  std::unique_ptr<device::Device> device_;

 public:
  // NOLINTBEGIN(misc-non-private-member-variables-in-classes): what tests have a side for
  device::Arena arena;
  std::unique_ptr<ops::Ops<T>> ops;
  // NOLINTEND(misc-non-private-member-variables-in-classes)
};

// Numbers in [-1, 1] that bfloat16 holds exactly: sides differ in arithmetic, not in their input.
inline std::vector<double> numbers(std::size_t count, std::uint32_t row) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto counter =
        ops::philox_counter(static_cast<std::uint32_t>(i), row, 0, ops::Purpose::kInput, 0);
    const double uniform =
        ops::symmetric_uniform(ops::philox4x32_10(counter, ops::philox_key(7)).word[0]);
    values[i] = std::round(uniform * 64.0) / 64.0;
  }
  return values;
}

inline std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) {
    value *= factor;
  }
  return values;
}

// Small enough for products of many to stay near 1.
inline std::vector<double> small_numbers(std::size_t count, std::uint32_t row) {
  return scaled(numbers(count, row), 0.125);
}

struct Output {
  std::string name;
  std::vector<double> values;
};

struct Difference {
  std::string name;
  double value = 0.0;  // |actual - expected| / |expected|, 2-norms; NaN stays NaN
};

inline double relative_difference(const std::vector<double>& actual,
                                  const std::vector<double>& expected) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += (actual.at(i) - expected[i]) * (actual.at(i) - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(difference / size);
}

// compute(side) -> std::vector<Output>. The output that differs most between the GPU in T and the
// reference.
template <typename T, typename Compute>
Difference worst_difference(const Compute& compute, const ops::CudaOptions& options = {}) {
  Side<T> gpu(options);
  Side<double> reference;
  const std::vector<Output> actual = compute(gpu);
  const std::vector<Output> expected = compute(reference);
  Difference worst;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = relative_difference(actual.at(i).values, expected[i].values);
    if (!std::isnan(worst.value) && !(difference <= worst.value)) {
      worst = {expected[i].name, difference};
    }
  }
  return worst;
}

// Rounding of inputs, sums and results: a few units in the last place of T.
template <typename T>
constexpr double kTolerance = 1e-5;
template <>
inline constexpr double kTolerance<device::Bf16> = 1.5e-2;
template <>
inline constexpr double kTolerance<device::Half> = 2e-3;

}  // namespace scalestudy::test

// Runs `compute` in T and checks it against the reference.
#define CHECK_AGAINST_REFERENCE(T, compute)                                   \
  do {                                                                        \
    const auto worst_of_all = scalestudy::test::worst_difference<T>(compute); \
    INFO(worst_of_all.name);                                                  \
    CHECK(worst_of_all.value <= scalestudy::test::kTolerance<T>);             \
  } while (false)
