// Random initial values of a parameter tensor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/device/data_type.h"
#include "workloads/ops/philox.h"

namespace scalestudy::model {

// values[i] = uniform on (-limit, limit), its variance limit^2 / 3.
//   index  which tensor of the model: no two tensors share numbers. Below 65536.
template <typename T>
void fill_uniform(std::span<T> values,
                  double limit,
                  std::uint64_t seed,
                  ops::Purpose purpose,
                  std::uint32_t index) {
  for (std::size_t i = 0; i < values.size(); i += 4) {
    const auto quad = static_cast<std::uint32_t>(i / 4);
    const ops::PhiloxBlock block =
        ops::philox4x32_10(ops::philox_counter(quad, 0, 0, purpose, index), ops::philox_key(seed));
    for (std::size_t j = i; j < std::min(i + 4, values.size()); ++j) {
      values[j] = static_cast<device::Real<T>>(limit * ops::symmetric_uniform(block.word[j % 4]));
    }
  }
}

}  // namespace scalestudy::model
