// Random draws that are the same on every platform.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace scalestudy::stats {

// Draws from mt19937_64, whose output the standard fixes; the distributions of <random> differ
// between libraries.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  // A number in [0, count).
  std::size_t below(std::size_t count) { return engine_() % count; }

  template <typename Value>
  void shuffle(std::span<Value> values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(i)]);
    }
  }

  // Standard normal, Box-Muller.
  double normal() {
    constexpr double two_pi = 6.283185307179586;
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(two_pi * uniform());
  }

  // Fills `to` with values of `from`, drawn with replacement.
  void resample(std::span<const double> from, std::span<double> to) {
    for (double& value : to) {
      value = from[below(from.size())];
    }
  }

  // sqrt(df/chi^2(df)): the factor that makes a normal error one of Student's t.
  double inflation(std::size_t df) {
    double squares = 0.0;
    for (std::size_t i = 0; i < df; ++i) {
      const double error = normal();
      squares += error * error;
    }
    return std::sqrt(static_cast<double>(df) / squares);
  }

  // One of the values, as it is or negated.
  double either_sign(std::span<const double> values) {
    const std::uint64_t word = engine_();
    return values[(word >> 1) % values.size()] * ((word & 1) != 0 ? 1.0 : -1.0);
  }

 private:
  // A number in (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

  std::mt19937_64 engine_;
};

}  // namespace scalestudy::stats
