// A random source that is the same on every machine and says its seed when a test fails.
//
// The distributions of <random> differ between standard libraries; these do not.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace scalestudy::test {

// SplitMix64 (Steele, Lea & Flood 2014). Not for several threads.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed), state_(seed) {}

  // For INFO(random.describe()): Catch prints it with a failure.
  std::string describe() const { return "random seed " + std::to_string(seed_); }

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  // In (0, 1), never an end.
  double uniform() { return (static_cast<double>(next() >> 11U) + 0.5) * 0x1p-53; }

  // Standard normal, Box-Muller.
  double normal() {
    constexpr double two_pi = 6.283185307179586;
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(two_pi * uniform());
  }

  // Fisher-Yates. The bias of the remainder is below size / 2^64.
  template <typename Value>
  void shuffle(std::vector<Value>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[next() % i]);
    }
  }

 private:
  std::uint64_t seed_;
  std::uint64_t state_;
};

}  // namespace scalestudy::test
