// Element types of parameters, activations and gradients.
#pragma once

#include <cstddef>

namespace scalestudy::device {

enum class DataType { kFloat32, kFloat64 };

template <typename T>
inline constexpr DataType kDataType = DataType::kFloat32;
template <>
inline constexpr DataType kDataType<double> = DataType::kFloat64;

constexpr std::size_t size_bytes(DataType type) {
  return type == DataType::kFloat32 ? sizeof(float) : sizeof(double);
}

}  // namespace scalestudy::device
