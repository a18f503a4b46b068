#include "workloads/train/input/samples.h"

#include <algorithm>
#include <cmath>

#include "workloads/ops/philox.h"

namespace scalestudy::train {
namespace {

// values[i] += factor * (number i of this row of the stream), numbers uniform with variance 1.
template <typename Real>
void add_uniform(std::span<Real> values,
                 double factor,
                 std::uint64_t seed,
                 ops::PhiloxBlock counter) {
  const double scale = factor * std::sqrt(3.0);
  for (std::size_t i = 0; i < values.size(); i += 4) {
    counter.word[0] = static_cast<std::uint32_t>(i / 4);
    const ops::PhiloxBlock block = ops::philox4x32_10(counter, ops::philox_key(seed));
    for (std::size_t j = i; j < std::min(i + 4, values.size()); ++j) {
      values[j] += static_cast<Real>(scale * ops::symmetric_uniform(block.word[j % 4]));
    }
  }
}

// Random words about a sample's label; the first is its class.
ops::PhiloxBlock label_block(std::uint64_t seed, std::uint32_t sample) {
  return ops::philox4x32_10(ops::philox_counter(0, sample, 0, ops::Purpose::kLabel, 0),
                            ops::philox_key(seed));
}

}  // namespace

template <typename Real>
void add_noise(std::span<Real> values, std::uint64_t seed, std::uint32_t sample) {
  add_uniform(values, 1.0, seed, ops::philox_counter(0, sample, 0, ops::Purpose::kInput, 0));
}

template <typename Real>
std::uint32_t add_class_sample(std::span<Real> values,
                               std::size_t classes,
                               std::uint64_t seed,
                               std::uint32_t sample) {
  const double spread = std::sqrt(0.5);
  add_uniform(values, spread, seed, ops::philox_counter(0, sample, 0, ops::Purpose::kInput, 0));
  const auto label = static_cast<std::uint32_t>(label_block(seed, sample).word[0] % classes);
  add_uniform(values, spread, seed, ops::philox_counter(0, label, 0, ops::Purpose::kPrototype, 0));
  return label;
}

std::uint32_t noisy_label(std::uint32_t of_class,
                          std::size_t classes,
                          double noise,
                          std::uint64_t seed,
                          std::uint32_t sample) {
  const ops::PhiloxBlock block = label_block(seed, sample);
  if (0x1p-32 * block.word[1] >= noise) {
    return of_class;
  }
  return static_cast<std::uint32_t>((of_class + 1 + block.word[2] % (classes - 1)) % classes);
}

template void add_noise(std::span<float>, std::uint64_t, std::uint32_t);
template void add_noise(std::span<double>, std::uint64_t, std::uint32_t);
template std::uint32_t add_class_sample(std::span<float>,
                                        std::size_t,
                                        std::uint64_t,
                                        std::uint32_t);
template std::uint32_t add_class_sample(std::span<double>,
                                        std::size_t,
                                        std::uint64_t,
                                        std::uint32_t);

}  // namespace scalestudy::train
