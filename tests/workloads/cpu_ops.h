// Operations of the CPU with their memory, and operands that are the same in every run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/support/catch.h"
#include "workloads/ops/ops.h"

namespace scalestudy::test {

template <typename T>
struct Cpu {
  explicit Cpu(int threads = 1) : ops(ops::make_cpu_ops<T>(threads)) {}

  std::unique_ptr<device::Device> device = device::make_cpu_device();
  device::Arena arena{*device};
  std::unique_ptr<ops::Ops<T>> ops;
};

// Uniform over (-size, size); each row has other numbers.
template <typename T>
std::vector<T> numbers(std::size_t count, std::uint32_t row, double size = 1.0) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto counter =
        ops::philox_counter(static_cast<std::uint32_t>(i), row, 0, ops::Purpose::kInput, 0);
    values[i] = static_cast<T>(static_cast<device::Real<T>>(
        size * ops::symmetric_uniform(ops::philox4x32_10(counter, {{7, 0}}).word[0])));
  }
  return values;
}

// The same numbers, which were of type Operand before.
template <typename T, typename Operand>
std::vector<T> operands(std::size_t count, std::uint32_t row) {
  const std::vector<Operand> values = numbers<Operand>(count, row);
  return {values.begin(), values.end()};
}

// The largest difference between elements, over the largest magnitude of `b`.
template <typename A, typename B>
double difference(const A& a, const B& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  REQUIRE(size > 0.0);
  return worst / size;
}

}  // namespace scalestudy::test
