// A convolution on a side (gpu.h), to be held against the reference's.
#pragma once

#include "tests/workloads/gpu.h"

namespace scalestudy::test {

// What a convolution computes in all three directions.
//   factor  of every operand.
inline auto convolution(const ops::ConvolutionShape& shape, double factor = 1.0) {
  return [=](auto& side) -> std::vector<Output> {
    const std::size_t inputs = shape.batch * shape.height * shape.width * shape.channels;
    const std::size_t outputs =
        shape.batch * shape.output_height() * shape.output_width() * shape.output_channels;
    const std::size_t weight_count =
        shape.output_channels * shape.kernel * shape.kernel * shape.channels;
    const auto layer = side.ops->make_convolution(shape, side.arena);
    auto* const x = side.put(scaled(numbers(inputs, 1), factor));
    auto* const weights = side.put(scaled(small_numbers(weight_count, 2), factor));
    auto* const dy = side.put(scaled(small_numbers(outputs, 3), factor));
    auto* const y = side.room(outputs);
    auto* const dweights = side.room(weight_count);
    auto* const dx = side.room(inputs);
    layer->forward(x, weights, y);
    layer->backward_weights(x, dy, dweights);
    layer->backward_input(dy, weights, dx);
    return {{"y", side.get(y, outputs)},
            {"dweights", side.get(dweights, weight_count)},
            {"dx", side.get(dx, inputs)}};
  };
}

}  // namespace scalestudy::test
