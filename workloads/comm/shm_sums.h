// Sums of several buffers, element by element.
#pragma once

#include <cstddef>
#include <span>

#include "workloads/device/data_type.h"

namespace scalestudy::comm {

// Writes the sum of the first `count` elements of all `from`, in their order, to all `to`, which
// may be the same buffers. Types of 16 bits are summed in fp32.
void add_elements(device::DataType type,
                  std::size_t count,
                  std::span<const std::byte* const> from,
                  std::span<std::byte* const> to);

}  // namespace scalestudy::comm
