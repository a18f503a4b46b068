// The two 16-bit floating-point types: storage only, arithmetic is done in float.
#pragma once

#include <cstdint>
#include <cstring>

#include "workloads/device/host_device.h"

namespace scalestudy::device {

SCALESTUDY_HOST_DEVICE inline std::uint32_t float_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

SCALESTUDY_HOST_DEVICE inline float float_from_bits(std::uint32_t bits) {
  float value = 0.0F;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// bfloat16: the upper half of a float. Rounds to nearest, ties to even.
struct Bf16 {
  std::uint16_t bits;

  Bf16() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): written where a float is, like double to float
  SCALESTUDY_HOST_DEVICE Bf16(float value) : bits(round(float_bits(value))) {}
  // NOLINTNEXTLINE(google-explicit-constructor): exact
  SCALESTUDY_HOST_DEVICE operator float() const {
    return float_from_bits(static_cast<std::uint32_t>(bits) << 16U);
  }

 private:
  SCALESTUDY_HOST_DEVICE static std::uint16_t round(std::uint32_t value) {
    const bool is_nan = (value & 0x7FFFFFFFU) > 0x7F800000U;
    const std::uint32_t rounded =
        is_nan ? value | 0x00400000U : value + 0x7FFFU + ((value >> 16U) & 1U);
    return static_cast<std::uint16_t>(rounded >> 16U);
  }
};

// IEEE 754 binary16. Rounds to nearest, ties to even; 65520 and above become infinite.
struct Half {
  std::uint16_t bits;

  Half() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): written where a float is, like double to float
  SCALESTUDY_HOST_DEVICE Half(float value) : bits(round(float_bits(value))) {}
  // NOLINTNEXTLINE(google-explicit-constructor): exact
  SCALESTUDY_HOST_DEVICE operator float() const {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    const std::uint32_t magnitude = bits & 0x7FFFU;
    if (magnitude >= 0x7C00U) {  // infinite or NaN
      return float_from_bits(sign | 0x7F800000U | magnitude << 13U);
    }
    if (magnitude < 0x0400U) {  // subnormal
      return float_from_bits(sign | float_bits(static_cast<float>(magnitude) * 0x1p-24F));
    }
    return float_from_bits(sign | ((magnitude << 13U) + 0x38000000U));
  }

 private:
  SCALESTUDY_HOST_DEVICE static std::uint16_t round(std::uint32_t value) {
    const std::uint32_t sign = value >> 16U & 0x8000U;
    const std::uint32_t magnitude = value & 0x7FFFFFFFU;
    std::uint32_t rounded = 0;
    if (magnitude > 0x7F800000U) {
      rounded = 0x7E00U;  // NaN
    } else if (magnitude >= 0x47800000U) {
      rounded = 0x7C00U;  // 65536 and above
    } else if (magnitude < 0x38800000U) {
      // Below 2^-14 the last place is worth 2^-24, as is that of a float in [0.5, 1): the addition
      // rounds.
      rounded = float_bits(float_from_bits(magnitude) + 0.5F) - float_bits(0.5F);
    } else {
      rounded = (magnitude - 0x38000000U + 0x0FFFU + (magnitude >> 13U & 1U)) >> 13U;
    }
    return static_cast<std::uint16_t>(sign | rounded);
  }
};

}  // namespace scalestudy::device
