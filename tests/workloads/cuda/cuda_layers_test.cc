// The CUDA backend's prepared operations against the reference: outputs and all gradients.
#include <array>

#include "tests/support/catch.h"
#include "tests/workloads/convolution.h"

using namespace scalestudy;
using test::convolution;
using test::numbers;
using test::Output;
using test::require_gpu;
using test::small_numbers;

namespace {

auto batch_norm(const ops::BatchNormShape& shape, bool has_residual) {
  return [=](auto& side) -> std::vector<Output> {
    const std::size_t count = shape.rows * shape.channels;
    std::vector<double> values = numbers(count, 1);
    for (double& value : values) {
      value = 1.5 + 0.5 * value;  // a variance that is small beside the mean; still exact
    }
    const auto layer = side.ops->make_batch_norm(shape, side.arena);
    auto* const x = side.put(values);
    auto* const residual = has_residual ? side.put(numbers(count, 2)) : nullptr;
    auto* const scale = side.put(numbers(shape.channels, 3));
    auto* const shift = side.put(numbers(shape.channels, 4));
    auto* const dy = side.put(numbers(count, 5));
    auto* const y = side.room(count);
    auto* const dscale = side.room(shape.channels);
    auto* const dshift = side.room(shape.channels);
    auto* const dx = side.room(count);
    auto* const running = side.room(count);
    layer->forward(x, residual, scale, shift, y, true);
    layer->backward(x, y, scale, dy, dscale, dshift, dx);
    layer->forward(x, residual, scale, shift, running, false);
    return {{"y", side.get(y, count)},
            {"dresidual", side.get(dy, count)},
            {"dscale", side.get(dscale, shape.channels)},
            {"dshift", side.get(dshift, shape.channels)},
            {"dx", side.get(dx, count)},
            {"y with running statistics", side.get(running, count)}};
  };
}

auto row_norm(const ops::RowNormShape& shape) {
  return [=](auto& side) -> std::vector<Output> {
    const std::size_t count = shape.rows * shape.columns;
    const auto layer = side.ops->make_row_norm(shape, side.arena);
    auto* const x = side.put(numbers(count, 1));
    auto* const scale = side.put(numbers(shape.columns, 2));
    auto* const shift = shape.is_rms ? nullptr : side.put(numbers(shape.columns, 3));
    auto* const dy = side.put(numbers(count, 4));
    auto* const y = side.room(count);
    auto* const dscale = side.room(shape.columns);
    auto* const dshift = side.room(shape.columns);
    auto* const dx = side.put(numbers(count, 5));
    layer->forward(x, scale, shift, y);
    layer->backward(x, scale, dy, dscale, dshift, dx);
    return {{"y", side.get(y, count)},
            {"dscale", side.get(dscale, shape.columns)},
            {"dshift", side.get(dshift, shape.columns)},
            {"dx", side.get(dx, count)}};
  };
}

}  // namespace

TEMPLATE_TEST_CASE("convolution equals the reference's on a GPU", "[gpu]", float, device::Half) {
  require_gpu();
  // 3x3, 1x1 with stride, the stem of ResNet, and sizes no tensor core likes.
  const auto shape = GENERATE(ops::ConvolutionShape{2, 9, 9, 16, 24, 3, 1, 1},
                              ops::ConvolutionShape{3, 8, 8, 32, 16, 1, 2, 0},
                              ops::ConvolutionShape{2, 30, 30, 3, 16, 7, 2, 3},
                              ops::ConvolutionShape{2, 7, 6, 5, 7, 3, 2, 1});
  CAPTURE(shape.kernel, shape.stride, shape.channels);

  CHECK_AGAINST_REFERENCE(TestType, convolution(shape));
}

// numbers() have few digits, so that rounding to TF32 alone would not show. The factor gives all
// operands more than TF32's 10: it rounds products by 2^-14, all to the same side.
TEST_CASE("TF32 rounds the inputs of float convolutions, and fp32 does not", "[gpu]") {
  require_gpu();
  const std::size_t output = GENERATE(0U, 1U, 2U);  // y, dweights, dx
  const auto compute = [&](auto& side) -> std::vector<Output> {
    return {convolution({4, 16, 16, 64, 64, 3, 1, 1}, 1.0 + 0x1p-15)(side).at(output)};
  };

  const auto fp32 = test::worst_difference<float>(compute);
  const auto tf32 = test::worst_difference<float>(compute, {.has_cudnn_tf32 = true});

  CAPTURE(fp32.name, output);
  CHECK(fp32.value <= 1e-5);
  CHECK(tf32.value > 2e-5);
  CHECK(tf32.value <= 1e-3);
}

TEMPLATE_TEST_CASE("batch normalisation equals the reference's on a GPU",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  const bool has_relu = GENERATE(false, true);
  const bool has_residual = GENERATE(false, true);
  const std::size_t groups = GENERATE(1U, 2U);
  CAPTURE(has_relu, has_residual, groups);

  CHECK_AGAINST_REFERENCE(
      TestType,
      batch_norm({.rows = 600, .channels = 40, .groups = groups, .has_relu = has_relu},
                 has_residual));
}

// The reference's by tests/workloads/ops/nan_test.cc.
TEMPLATE_TEST_CASE("a NaN passes every activation, norm and loss on a GPU as in the reference",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  const std::size_t place = GENERATE(0U, 7U);
  const auto compute = [place](auto& side) -> std::vector<Output> {
    using T = typename std::remove_reference_t<decltype(side)>::Element;
    const auto put = [&](std::size_t count) {
      std::vector<double> values = numbers(count, 1);
      values[place] = std::numeric_limits<double>::quiet_NaN();
      return side.put(values);
    };
    T* const y = put(12);
    T* const dy = put(12);
    const auto function = ops::make_relu_dropout<T>(0.0);
    side.ops->relu_dropout_forward({y, 3, 4}, function, {});
    side.ops->relu_dropout_backward({dy, 3, 4}, y, function, side.room(4));
    T* const ones = side.put({1.0, 1.0, 1.0, 1.0});
    T* const normal = side.room(12);
    T* const dx = side.put(numbers(12, 2));
    const auto norm =
        side.ops->make_batch_norm({.rows = 3, .channels = 4, .has_relu = true}, side.arena);
    T* const x = put(12);
    norm->forward(x, nullptr, ones, ones, normal, true);
    norm->backward(x, normal, ones, dx, side.room(4), side.room(4), dx);
    T* const weighed = side.room(4);  // two tokens of one head, two wide
    side.ops->make_attention({.batch = 1, .tokens = 2, .heads = 1, .head_width = 2}, side.arena)
        ->forward(put(12), weighed);
    auto* const loss = side.template put_as<double>({0.0});
    side.ops->softmax_cross_entropy(
        {put(12), 1, 12}, {side.template put_as<std::int32_t>({3.0}), 12}, 1.0, loss);
    auto* const squares = side.template put_as<double>({std::numeric_limits<double>::quiet_NaN()});
    using Real = device::Real<T>;
    auto* const clipped = side.template put_as<Real>({1.0, 2.0});
    side.ops->update(ops::Sgd<Real>{1, 0, 0},
                     {{clipped, 2}, ones, side.room(2), {nullptr, squares, 1.0}},
                     side.template put_as<Real>({0.0, 0.0}));
    std::vector<Output> outputs = {{"relu", side.get(y, 12)},
                                   {"its gradient", side.get(dy, 12)},
                                   {"norm", side.get(normal, 12)},
                                   {"its gradient", side.get(dx, 12)},
                                   {"attention", side.get(weighed, 4)},
                                   {"loss", side.get(loss, 1)},
                                   {"clipped", side.get(clipped, 2)}};
    for (Output& output : outputs) {
      for (double& value : output.values) {
        value = std::isnan(value) ? 1.0 : 0.0;
      }
    }
    return outputs;
  };

  test::Side<TestType> gpu;
  test::Side<double> reference;
  const std::vector<Output> found = compute(gpu);
  const std::vector<Output> expected = compute(reference);

  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO(expected[i].name);
    CHECK(found[i].values == expected[i].values);
    CHECK(std::count(expected[i].values.begin(), expected[i].values.end(), 1.0) > 0);
  }
}

TEST_CASE("pooling equals the reference's on a GPU", "[gpu]") {
  require_gpu();
  const auto compute = [](auto& side) -> std::vector<Output> {
    const ops::PoolingShape shape{2, 11, 10, 12, 3, 2, 1};
    const std::size_t inputs = shape.batch * shape.height * shape.width * shape.channels;
    const std::size_t positions = shape.output_height() * shape.output_width();
    const std::size_t outputs = shape.batch * positions * shape.channels;
    const auto layer = side.ops->make_max_pooling(shape, side.arena);
    auto* const x = side.put(numbers(inputs, 1));  // 129 values: many are equal
    auto* const y = side.room(outputs);
    auto* const dx = side.room(inputs);
    auto* const mean = side.room(shape.batch * shape.channels);
    auto* const spread = side.room(outputs);
    layer->forward(x, y);
    layer->backward(side.put(numbers(outputs, 2)), dx);
    side.ops->average_positions(y, positions, {mean, shape.batch, shape.channels});
    side.ops->spread_positions({mean, shape.batch, shape.channels}, positions, spread);
    return {{"maximum", side.get(y, outputs)},
            {"its gradient", side.get(dx, inputs)},
            {"mean", side.get(mean, shape.batch * shape.channels)},
            {"its gradient", side.get(spread, outputs)}};
  };

  CHECK_AGAINST_REFERENCE(float, compute);
  CHECK_AGAINST_REFERENCE(device::Bf16, compute);
}

TEMPLATE_TEST_CASE(
    "recurrent layers equal the reference's on a GPU", "[gpu]", float, device::Bf16, device::Half) {
  require_gpu();
  const auto cell = GENERATE(ops::Cell::kLstm, ops::Cell::kGru);
  CAPTURE(cell == ops::Cell::kLstm);
  const auto compute = [=](auto& side) -> std::vector<Output> {
    const ops::RecurrentShape shape{
        .cell = cell, .batch = 5, .steps = 7, .input_width = 16, .hidden_width = 24};
    const std::size_t inputs = shape.batch * shape.steps * shape.input_width;
    const std::size_t outputs = shape.batch * shape.hidden_width;
    const auto layer = side.ops->make_recurrent(shape, side.arena);
    // The tensors of a block in which they lie one after the other.
    const auto weights_of = [&](auto* first) {
      std::array<decltype(first), 4> tensors{};
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        tensors[i] = first;
        first += shape.tensor_elements()[i];
      }
      return tensors;
    };
    auto* const x = side.put(numbers(inputs, 1));
    auto weights = weights_of(side.put(small_numbers(shape.parameter_count(), 2)));
    auto* const y = side.room(outputs);
    auto dweights = weights_of(side.room(shape.parameter_count()));
    auto* const dx = side.room(inputs);
    layer->forward(x, weights, y);
    layer->backward(x, weights, side.put(numbers(outputs, 3)), dweights, dx);
    return {{"y", side.get(y, outputs)},
            {"dweights", side.get(dweights[0], shape.parameter_count())},
            {"dx", side.get(dx, inputs)}};
  };

  CHECK_AGAINST_REFERENCE(TestType, compute);
}

TEMPLATE_TEST_CASE("embeddings equal the reference's on a GPU", "[gpu]", float, device::Bf16) {
  require_gpu();
  const bool is_tied = GENERATE(false, true);
  const bool has_positions = GENERATE(false, true);
  CAPTURE(is_tied, has_positions);
  const auto compute = [=](auto& side) -> std::vector<Output> {
    const ops::EmbeddingShape shape{.batch = 3,
                                    .tokens = 50,
                                    .width = 40,
                                    .vocabulary = 30,
                                    .has_positions = has_positions,
                                    .is_tied = is_tied};
    const std::size_t rows = shape.batch * shape.tokens;
    std::vector<double> tokens(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      tokens[i] = static_cast<double>(i * i % 23);  // some often, some never
    }
    auto* const ids = side.template put_as<std::int32_t>(tokens);
    const std::size_t table_size = shape.vocabulary * shape.width;
    const std::size_t positions_size = shape.tokens * shape.width;
    const auto layer = side.ops->make_embedding(shape, side.arena);
    auto* const y = side.room(rows * shape.width);
    auto* const dtable = side.put(numbers(table_size, 4));
    auto* const dpositions = side.room(positions_size);
    layer->forward(ids,
                   side.put(numbers(table_size, 1)),
                   has_positions ? side.put(numbers(positions_size, 2)) : nullptr,
                   y);
    layer->backward(ids, side.put(numbers(rows * shape.width, 3)), dtable, dpositions);
    return {{"y", side.get(y, rows * shape.width)},
            {"dtable", side.get(dtable, table_size)},
            {"dpositions", side.get(dpositions, positions_size)}};
  };

  CHECK_AGAINST_REFERENCE(TestType, compute);
}

TEMPLATE_TEST_CASE("normalisation of rows equals the reference's on a GPU",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  const bool is_rms = GENERATE(false, true);
  const bool is_residual = GENERATE(false, true);
  CAPTURE(is_rms, is_residual);

  CHECK_AGAINST_REFERENCE(
      TestType,
      row_norm({.rows = 130, .columns = 300, .is_rms = is_rms, .is_residual = is_residual}));
}

TEMPLATE_TEST_CASE(
    "attention equals the reference's on a GPU", "[gpu]", float, device::Bf16, device::Half) {
  require_gpu();
  const bool has_rotary = GENERATE(false, true);
  CAPTURE(has_rotary);
  const auto compute = [=](auto& side) -> std::vector<Output> {
    const ops::AttentionShape shape{
        .batch = 2, .tokens = 40, .heads = 3, .head_width = 16, .has_rotary = has_rotary};
    const std::size_t width = shape.heads * shape.head_width;
    const std::size_t rows = shape.batch * shape.tokens;
    const auto layer = side.ops->make_attention(shape, side.arena);
    auto* const qkv = side.put(numbers(rows * 3 * width, 1));
    auto* const y = side.room(rows * width);
    auto* const dqkv = side.room(rows * 3 * width);
    layer->forward(qkv, y);
    layer->backward(qkv, side.put(numbers(rows * width, 2)), dqkv);
    return {{"y", side.get(y, rows * width)}, {"dqkv", side.get(dqkv, rows * 3 * width)}};
  };

  CHECK_AGAINST_REFERENCE(TestType, compute);
}

TEMPLATE_TEST_CASE("smooth activations equal the reference's on a GPU",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  const bool is_swiglu = GENERATE(false, true);
  CAPTURE(is_swiglu);
  const auto compute = [=](auto& side) -> std::vector<Output> {
    const ops::ActivationShape shape{.rows = 90, .columns = 50, .is_swiglu = is_swiglu};
    const std::size_t outputs = shape.rows * shape.columns;
    const std::size_t inputs = is_swiglu ? 2 * outputs : outputs;
    const auto layer = side.ops->make_activation(shape, side.arena);
    auto* const x = side.put(numbers(inputs, 1));
    auto* const dy = side.put(numbers(outputs, 2));
    auto* const y = side.room(outputs);
    auto* const dx = side.room(inputs);
    auto* const bias = is_swiglu ? nullptr : side.room(shape.columns);
    layer->forward(x, y);
    layer->backward(x, dy, dx, bias);
    std::vector<Output> outcome = {{"y", side.get(y, outputs)}, {"dx", side.get(dx, inputs)}};
    if (bias != nullptr) {
      outcome.push_back({"bias gradient", side.get(bias, shape.columns)});
    }
    return outcome;
  };

  CHECK_AGAINST_REFERENCE(TestType, compute);
}
