// Loops of the CPU backend over flat parameters and gradients.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <type_traits>

#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/operands.h"

namespace scalestudy::ops {

// Updates elements [begin, end) of the weights by the rule; `state` is one pointer for each array
// that the rule keeps.
template <typename T, typename Rule, typename... State>
SCALESTUDY_VECTORISED void update_range(const Rule& rule,
                                        const Weights<T>& weights,
                                        std::size_t begin,
                                        std::size_t end,
                                        State... state) {
  using Real = device::Real<T>;
  const Rule update = rule;
  const Real factor = weights.factor.template value<Real>();
  Real* values = weights.values.data();
  const T* gradients = weights.gradients;
#pragma omp simd
  for (std::size_t i = begin; i < end; ++i) {
    update(values[i], factor * gradients[i], state[i]...);
  }
  if constexpr (!std::is_same_v<T, Real>) {
    T* rounded = weights.rounded;
#pragma omp simd
    for (std::size_t i = begin; i < end; ++i) {
      rounded[i] = device::rounded<T>(values[i]);
    }
  }
}

template <typename To, typename From>
SCALESTUDY_VECTORISED void add_range(To* y, const From* x, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    y[i] = device::rounded<To>(y[i] + x[i]);
  }
}

template <typename T>
SCALESTUDY_VECTORISED void scale_range(T* y, T factor, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    y[i] *= factor;
  }
}

template <typename To, typename From>
SCALESTUDY_VECTORISED void convert_range(const From* from, To* to, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<device::Real<From>>(from[i]);
    to[i] = device::rounded<To>(static_cast<device::Real<To>>(value));
  }
}

template <typename T>
SCALESTUDY_VECTORISED double square_sum_range(const T* values, std::size_t begin, std::size_t end) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = begin; i < end; ++i) {
    const auto value = static_cast<double>(static_cast<device::Real<T>>(values[i]));
    sum += value * value;
  }
  return sum;
}

// Calls use(pointer) with a pointer of the packed elements' type. Throws std::logic_error for fp64.
template <typename Use>
void with_type(const Packed& packed, const Use& use) {
  switch (packed.type) {
    case device::DataType::kFloat32:
      return use(static_cast<float*>(packed.data));
    case device::DataType::kBfloat16:
      return use(static_cast<device::Bf16*>(packed.data));
    case device::DataType::kFloat16:
      return use(static_cast<device::Half*>(packed.data));
    case device::DataType::kFloat64:
      break;
  }
  throw std::logic_error("no gradients travel as fp64");
}

}  // namespace scalestudy::ops
