// Element types of parameters, activations and gradients.
#pragma once

#include <cstddef>
#include <type_traits>

#include "workloads/device/float16.h"
#include "workloads/device/host_device.h"

namespace scalestudy::device {

enum class DataType { kFloat32, kFloat64, kBfloat16, kFloat16 };

// The type of arithmetic on elements of type T, of their sums and of an optimizer's state.
template <typename T>
using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

// The value as a T. For vectorised loops: in them a cast to a 16-bit type makes a temporary that
// keeps gcc from vectorising.
template <typename T>
SCALESTUDY_HOST_DEVICE inline T rounded(Real<T> value) {
  return static_cast<T>(value);
}

template <typename T>
inline constexpr DataType kDataType = DataType::kFloat32;
template <>
inline constexpr DataType kDataType<double> = DataType::kFloat64;
template <>
inline constexpr DataType kDataType<Bf16> = DataType::kBfloat16;
template <>
inline constexpr DataType kDataType<Half> = DataType::kFloat16;

constexpr std::size_t size_bytes(DataType type) {
  switch (type) {
    case DataType::kFloat64:
      return sizeof(double);
    case DataType::kFloat32:
      return sizeof(float);
    case DataType::kBfloat16:
    case DataType::kFloat16:
      break;
  }
  return sizeof(Half);
}

}  // namespace scalestudy::device
