// Synthetic samples of values, keyed by global sample; dataset.h says what they are for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scalestudy::train {

// Adds independent numbers to `values`, uniform with variance 1.
template <typename Real>
void add_noise(std::span<Real> values, std::uint64_t seed, std::uint32_t sample);

// Adds the sample of a class, also of variance 1, half of which is the class's centre. No value is
// beyond the square root of 6. Returns the class, in [0, classes).
template <typename Real>
std::uint32_t add_class_sample(std::span<Real> values,
                               std::size_t classes,
                               std::uint64_t seed,
                               std::uint32_t sample);

// The label of a sample of class `of_class`: with probability `noise` another class, all equally
// often.
std::uint32_t noisy_label(std::uint32_t of_class,
                          std::size_t classes,
                          double noise,
                          std::uint64_t seed,
                          std::uint32_t sample);

}  // namespace scalestudy::train
