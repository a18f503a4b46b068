#include "workloads/device/float16.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tests/support/catch.h"

using scalestudy::device::Bf16;
using scalestudy::device::Half;

namespace {

template <typename T>
T from_bits(unsigned bits) {
  T value{};
  value.bits = static_cast<std::uint16_t>(bits);
  return value;
}

// IEEE 754: (-1)^sign 2^(exponent - bias) 1.fraction, without the 1 where the exponent is 0.
double decode(unsigned bits, int fraction_bits, int bias) {
  const unsigned fraction = bits & ((1U << fraction_bits) - 1U);
  const auto exponent = static_cast<int>((bits & 0x7FFFU) >> fraction_bits);
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                    : std::ldexp(fraction + (1U << fraction_bits), exponent - bias - fraction_bits);
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

// Whether no neighbour of the rounded value is closer to `value`, and none with an even last bit is
// as close when the rounded value's own is odd.
template <typename T>
bool is_nearest_even(float value) {
  const T rounded(value);
  const double error = std::abs(static_cast<double>(value) - static_cast<double>(float(rounded)));
  return std::ranges::all_of(std::array{-1, 1}, [&](int step) {
    const T neighbour = from_bits<T>(static_cast<unsigned>(rounded.bits + step));
    const double other =
        std::abs(static_cast<double>(value) - static_cast<double>(float(neighbour)));
    const bool is_better = other < error || (other == error && rounded.bits % 2 == 1);
    return !is_better;
  });
}

// Every 4001st float between the magnitudes of `from` and `to`: all residues of the lower bits.
template <typename T>
int count_wrong(float from, float to) {
  int wrong = 0;
  for (std::uint32_t bits = scalestudy::device::float_bits(from);
       bits < scalestudy::device::float_bits(to);
       bits += 4001) {
    wrong += is_nearest_even<T>(scalestudy::device::float_from_bits(bits)) ? 0 : 1;
    wrong += is_nearest_even<T>(-scalestudy::device::float_from_bits(bits)) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("every finite 16-bit value has the float that IEEE 754 gives it", "[device]") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    if ((bits & 0x7C00U) != 0x7C00U) {
      wrong += static_cast<double>(float(from_bits<Half>(bits))) == decode(bits, 10, 15) ? 0 : 1;
    }
    if ((bits & 0x7F80U) != 0x7F80U) {
      wrong += static_cast<double>(float(from_bits<Bf16>(bits))) == decode(bits, 7, 127) ? 0 : 1;
    }
  }

  CHECK(wrong == 0);
}

TEST_CASE("a 16-bit value survives the way through float", "[device]") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const Half half = from_bits<Half>(bits);
    const Bf16 bf16 = from_bits<Bf16>(bits);
    wrong += std::isnan(float(half)) || Half(float(half)).bits == bits ? 0 : 1;
    wrong += std::isnan(float(bf16)) || Bf16(float(bf16)).bits == bits ? 0 : 1;
  }

  CHECK(wrong == 0);
}

TEST_CASE("rounding to 16 bits takes the nearest value, ties the even one", "[device]") {
  CHECK(count_wrong<Half>(0x1p-24F, 65504.0F) == 0);
  CHECK(count_wrong<Bf16>(0x1p-120F, 0x1p100F) == 0);
  CHECK(float(Half(2049.0F)) == 2048.0F);  // between 2048 and 2050
  CHECK(float(Half(2051.0F)) == 2052.0F);
  CHECK(float(Half(0x1p-25F)) == 0.0F);  // between 0 and the smallest, 2^-24
  CHECK(float(Bf16(1.0F + 0x1p-8F)) == 1.0F);
  CHECK(float(Bf16(1.0F + 0x3p-8F)) == 1.0F + 0x1p-6F);
}

TEST_CASE("what is too large for 16 bits becomes infinite, and what is no number stays none",
          "[device]") {
  constexpr float infinity = std::numeric_limits<float>::infinity();

  CHECK(float(Half(65519.996F)) == 65504.0F);
  CHECK(float(Half(65520.0F)) == infinity);
  CHECK(float(Half(-1e30F)) == -infinity);
  CHECK(float(Half(infinity)) == infinity);
  CHECK(float(Bf16(infinity)) == infinity);
  CHECK(float(Bf16(std::numeric_limits<float>::max())) == infinity);
  CHECK(std::isnan(float(Half(std::nanf("")))));
  CHECK(std::isnan(float(Bf16(std::nanf("")))));
  // The fraction's upper bits are all zero: cut off, it would become infinite.
  CHECK(std::isnan(float(Bf16(scalestudy::device::float_from_bits(0x7F800001U)))));
}
