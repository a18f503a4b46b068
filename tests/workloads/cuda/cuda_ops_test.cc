// The CUDA backend's products, elementwise operations, losses and optimizers against the reference.
#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"
#include "tests/workloads/gpu.h"

using namespace scalestudy;
using test::numbers;
using test::Output;
using test::require_gpu;
using test::small_numbers;

namespace {

template <typename Side>
using ElementOf = typename std::remove_reference_t<Side>::Element;
template <typename Side>
using RealOf = typename std::remove_reference_t<Side>::Real;

// shift  elements that operands begin behind an aligned address.
auto product(const ops::MatmulShape& shape, std::size_t shift) {
  return [=](auto& side) -> std::vector<Output> {
    const auto put = [&](std::size_t count, std::uint32_t row) {
      std::vector<double> values = numbers(shift + count, row);
      return side.put(values) + shift;
    };
    auto* const c = side.room(shift + shape.m * shape.n) + shift;
    side.ops->make_matmul(shape, side.arena)
        ->run(put(shape.m * shape.k, 1),
              put(shape.k * shape.n, 2),
              shape.has_bias ? put(shape.n, 3) : nullptr,
              c);
    return {{"product", side.get(c, shape.m * shape.n)}};
  };
}

// Three steps of top-k of so many ranks, whose parts lie one behind another: what arrived in each
// step, and then each rank's residuals. Gradients are multiples of a power of two, so that many are
// equal, and smaller from step to step, so that sums have more bits than T.
template <typename T>
std::vector<double> travelled(device::Arena& arena, ops::Ops<T>& ops, std::size_t ranks) {
  constexpr std::size_t count = 1000;
  constexpr std::size_t sent = 37;
  device::Device& device = arena.device();
  const std::size_t part_bytes = ops::top_k_part_bytes(sent, sizeof(T));
  const auto select = ops.make_top_k(2 * count, arena);
  const std::span<T> gradients = arena.take<T>(count);
  const std::span<float> residuals = arena.take<float>(ranks * count);
  const std::span<std::byte> parts = arena.take<std::byte>(ranks * part_bytes);
  std::vector<double> all;
  std::vector<T> host(count);
  for (std::uint32_t step = 0; step < 3; ++step) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto row = static_cast<std::uint32_t>(3 * rank + step);
      const std::vector<double> values =
          test::scaled(numbers(count, row), std::ldexp(1.0, -4 * static_cast<int>(step)));
      host.assign(values.begin(), values.end());
      device.copy_to_device(gradients.data(), host.data(), gradients.size_bytes());
      select->pack(
          gradients, residuals.subspan(rank * count, count), sent, &parts[rank * part_bytes]);
    }
    select->unpack(parts.data(), ranks, sent, gradients);
    device.copy_to_host(host.data(), gradients.data(), gradients.size_bytes());
    all.insert(all.end(), host.begin(), host.end());
  }
  std::vector<float> left(residuals.size());
  device.copy_to_host(left.data(), residuals.data(), residuals.size_bytes());
  all.insert(all.end(), left.begin(), left.end());
  return all;
}

template <typename T>
std::vector<double> travelled_on_cpu(std::size_t ranks) {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  return travelled<T>(arena, *ops::make_cpu_ops<T>(1), ranks);
}

}  // namespace

TEMPLATE_TEST_CASE("the gradients that travel from a GPU are those that travel from a CPU core",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  const std::size_t ranks = GENERATE(1, 2, 3);
  test::Side<TestType> gpu;

  const std::vector<double> all = travelled<TestType>(gpu.arena, *gpu.ops, ranks);

  CHECK(all == travelled_on_cpu<TestType>(ranks));
  CHECK(std::count_if(all.begin(), all.begin() + 1000, [](double v) { return v != 0.0; }) >= 37);
}

// Exact: all numbers are multiples of 2^-14 below 4.
TEMPLATE_TEST_CASE("what travels from a GPU and what stays is every gradient that ever was",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  test::Side<TestType> gpu;

  const std::vector<double> all = travelled<TestType>(gpu.arena, *gpu.ops, 1);

  for (std::size_t i = 0; i < 1000; ++i) {
    const double given = numbers(1000, 0)[i] + numbers(1000, 1)[i] / 16 + numbers(1000, 2)[i] / 256;
    CHECK(all[i] + all[1000 + i] + all[2000 + i] + all[3000 + i] == given);
  }
}

TEMPLATE_TEST_CASE("products of every orientation equal the reference's on a GPU",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  const bool a_transposed = GENERATE(false, true);
  const bool b_transposed = GENERATE(false, true);
  const bool has_bias = GENERATE(false, true);
  const ops::MatmulShape shape{.m = 72,
                               .n = 40,
                               .k = 136,
                               .a_transposed = a_transposed,
                               .b_transposed = b_transposed,
                               .has_bias = has_bias};
  CAPTURE(a_transposed, b_transposed, has_bias);

  CHECK_AGAINST_REFERENCE(TestType, product(shape, 0));
}

TEMPLATE_TEST_CASE("products of odd sizes and operands that are not aligned are right on a GPU",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  const ops::MatmulShape shape{.m = 17, .n = 10, .k = 63, .has_bias = true};

  CHECK_AGAINST_REFERENCE(TestType, product(shape, 1));
}

TEST_CASE("TF32 rounds the inputs of float products, and fp32 does not", "[gpu]") {
  require_gpu();
  const auto compute = [](auto& side) -> std::vector<Output> {
    const ops::MatmulShape shape{.m = 128, .n = 128, .k = 256};
    std::vector<double> a = numbers(shape.m * shape.k, 1);
    for (double& value : a) {
      value *= 1.0 + 0x1p-15;  // more digits than the 10 of TF32
    }
    auto* const c = side.room(shape.m * shape.n);
    side.ops->make_matmul(shape, side.arena)
        ->run(side.put(a), side.put(numbers(shape.k * shape.n, 2)), nullptr, c);
    return {{"product", side.get(c, shape.m * shape.n)}};
  };

  const double fp32 = test::worst_difference<float>(compute).value;
  const double tf32 = test::worst_difference<float>(compute, {.has_tf32 = true}).value;

  CHECK(fp32 <= 2e-6);
  CHECK(tf32 > 1e-5);
  CHECK(tf32 <= 1e-3);
}

TEST_CASE("a dropout mask on a GPU is that of the CPU", "[gpu]") {
  require_gpu();
  constexpr std::size_t rows = 33;
  const std::size_t columns = GENERATE(1003, 1004);  // rows of whole groups of four or not
  const auto compute = [columns](auto& side) -> std::vector<Output> {
    using T = ElementOf<decltype(side)>;
    T* const y = side.put(std::vector<double>(rows * columns, 1.0));
    side.ops->relu_dropout_forward(
        {y, rows, columns}, ops::make_relu_dropout<T>(0.25), {11, 3, 2, 64});
    std::vector<double> kept = side.get(y, rows * columns);
    for (double& unit : kept) {
      unit = unit > 0.0 ? 1.0 : 0.0;
    }
    return {{"mask", kept}};
  };

  CHECK(test::worst_difference<float>(compute).value == 0.0);
}

TEMPLATE_TEST_CASE("activation with dropout and its gradient equal the reference's on a GPU",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  const auto compute = [](auto& side) -> std::vector<Output> {
    using T = ElementOf<decltype(side)>;
    constexpr std::size_t rows = 300;  // more than one chunk of a column sum
    constexpr std::size_t columns = 45;
    const auto function = ops::make_relu_dropout<T>(0.25);
    T* const y = side.put(numbers(rows * columns, 1));
    T* const dy = side.put(numbers(rows * columns, 2));
    T* const bias = side.room(columns);
    T* const sums = side.room(columns);
    side.ops->relu_dropout_forward({y, rows, columns}, function, {5, 1, 0, 0});
    side.ops->relu_dropout_backward({dy, rows, columns}, y, function, bias);
    side.ops->column_sums({y, rows, columns}, sums);
    side.ops->add({dy, rows * columns}, y);
    auto* const sum = side.arena.template take<RealOf<decltype(side)>>(columns).data();
    side.ops->accumulate({sum, columns}, bias);
    side.ops->accumulate({sum, columns}, sums);
    side.ops->scale({sum, columns}, RealOf<decltype(side)>(0.75));
    T* const last = side.put(numbers(columns, 3));
    side.ops->add_accumulated({last, columns}, sum);
    return {{"accumulated", side.get(last, columns)},
            {"activation", side.get(y, rows * columns)},
            {"gradient", side.get(dy, rows * columns)},
            {"bias gradient", side.get(bias, columns)},
            {"column sums", side.get(sums, columns)}};
  };

  CHECK_AGAINST_REFERENCE(TestType, compute);
}

TEMPLATE_TEST_CASE("gradients that travel in another type are rounded once on a GPU",
                   "[gpu]",
                   (std::pair<float, device::Bf16>),
                   (std::pair<float, device::Half>),
                   (std::pair<device::Bf16, float>),
                   (std::pair<device::Half, float>)) {
  require_gpu();
  using T = typename TestType::first_type;
  using Wire = typename TestType::second_type;
  test::Side<T> gpu;
  constexpr std::size_t count = 700;
  std::vector<double> values = numbers(count, 1);
  std::vector<double> on_wire;
  for (double& value : values) {
    value = static_cast<float>(T(static_cast<float>(value * (1.0 + 0x1p-9))));
    on_wire.push_back(static_cast<float>(Wire(static_cast<float>(value))));
  }
  T* const gradients = gpu.put(values);
  Wire* const wire = gpu.arena.template take<Wire>(count).data();

  gpu.ops->pack({gradients, count}, {wire, device::kDataType<Wire>});
  T* const back = gpu.room(count);
  gpu.ops->unpack({wire, device::kDataType<Wire>}, {back, count});

  CHECK(gpu.get(wire, count) == on_wire);
  CHECK(gpu.get(back, count) == on_wire);
}

TEMPLATE_TEST_CASE("losses and their gradients equal the reference's on a GPU",
                   "[gpu]",
                   float,
                   device::Bf16,
                   device::Half) {
  require_gpu();
  const auto compute = [](auto& side) -> std::vector<Output> {
    using T = ElementOf<decltype(side)>;
    constexpr std::size_t rows = 37;
    constexpr std::size_t columns = 1030;  // more than a block has threads
    constexpr std::size_t classes = 1021;  // behind them lies padding
    std::vector<double> labels(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      labels[row] = static_cast<double>(row * 97 % classes);
    }
    T* const logits = side.put(numbers(rows * columns, 1));
    T* const output = side.put(numbers(rows * columns, 2));
    auto* const losses = side.template put_as<double>({10.0, 20.0});  // what was there stays
    auto* const loss_scale = side.arena.template take<ops::LossScale>(1).data();
    side.arena.device().copy_to_device(
        loss_scale, std::vector<ops::LossScale>(1).data(), sizeof(ops::LossScale));
    side.ops->softmax_cross_entropy({logits, rows, columns},
                                    {side.template put_as<std::int32_t>(labels), classes},
                                    1.0 / rows,
                                    losses,
                                    loss_scale);
    side.ops->mean_squared_error(
        {output, rows, columns}, side.put(numbers(rows * columns, 3)), 4.0, losses + 1);
    return {{"losses", side.get(losses, 2)},
            {"cross entropy gradient", side.get(logits, rows * columns)},
            {"squared error gradient", side.get(output, rows * columns)}};
  };

  CHECK_AGAINST_REFERENCE(TestType, compute);
}

TEMPLATE_TEST_CASE(
    "optimizers keep master values in float on a GPU", "[gpu]", float, device::Bf16, device::Half) {
  require_gpu();
  const auto compute = [](auto& side) -> std::vector<Output> {
    using T = ElementOf<decltype(side)>;
    using Real = RealOf<decltype(side)>;
    constexpr std::size_t count = 1000;
    const auto weights_with = [&](std::uint32_t row) {
      return ops::Weights<T>{.values = {side.template put_as<Real>(numbers(count, row)), count},
                             .gradients = side.put(numbers(count, row + 1)),
                             .rounded = std::is_same_v<T, Real> ? nullptr : side.room(count)};
    };
    const auto zeros = [&] { return side.arena.template take<Real>(count).data(); };
    const ops::Weights<T> sgd = weights_with(1);
    const ops::Weights<T> adamw = weights_with(3);
    Real* const velocity = zeros();
    Real* const m = zeros();
    Real* const v = zeros();
    for (int step = 1; step <= 3; ++step) {
      side.ops->update(ops::Sgd<Real>{Real(0.1), Real(0.9), Real(0.01)}, sgd, velocity);
      side.ops->update(
          ops::AdamW<Real>{
              Real(0.1), Real(0.9), Real(0.999), Real(1e-8), Real(0.01), Real(1.2), Real(1.1)},
          adamw,
          m,
          v);
    }
    // Nine updates were made before: the rule's own corrections do not count.
    ops::Weights<T> scaled = weights_with(5);
    const ops::LossScale tenth{.scale = 2.0F, .updates = 9};
    auto* const loss_scale = side.arena.template take<ops::LossScale>(1).data();
    side.arena.device().copy_to_device(loss_scale, &tenth, sizeof(tenth));
    scaled.factor.loss_scale = loss_scale;
    side.ops->update(ops::AdamW<Real>{Real(0.1), Real(0.9), Real(0.999), Real(1e-8), Real(0), 1, 1},
                     scaled,
                     zeros(),
                     zeros());
    // Clipped to a norm of 0.5, with gradients still scaled by 2.
    ops::Weights<T> clipped = weights_with(6);
    auto* const squares = side.template put_as<double>({0.25});  // what was there stays
    side.ops->add_squares({clipped.gradients, count}, squares);
    clipped.factor = {loss_scale, squares, 0.5};
    side.ops->update(ops::Sgd<Real>{Real(0.1), Real(0), Real(0)}, clipped, zeros());
    std::vector<Output> outputs = {{"SGD", side.get(sgd.values.data(), count)},
                                   {"clipped SGD", side.get(clipped.values.data(), count)},
                                   {"squares", side.get(squares, 1)},
                                   {"AdamW", side.get(adamw.values.data(), count)},
                                   {"scaled AdamW", side.get(scaled.values.data(), count)}};
    outputs.push_back(
        {"rounded", sgd.rounded == nullptr ? outputs[0].values : side.get(sgd.rounded, count)});
    return outputs;
  };

  CHECK_AGAINST_REFERENCE(TestType, compute);
  // The masters themselves are float whatever the model computes in.
  const auto masters = [&](auto& side) {
    std::vector<Output> outputs = compute(side);
    outputs.pop_back();
    return outputs;
  };
  CHECK(test::worst_difference<TestType>(masters).value <= 1e-5);
}

TEST_CASE("a step whose gradients overflow changes nothing but the loss scale on a GPU", "[gpu]") {
  require_gpu();
  const bool is_by_squares = GENERATE(false, true);
  test::Side<device::Half> gpu;
  constexpr std::size_t count = 600;
  std::vector<double> gradients(count, 1.0);
  gradients[517] = 1e6;  // infinite in fp16
  auto* const scale = gpu.arena.take<ops::LossScale>(1).data();
  const ops::LossScale start;
  gpu.arena.device().copy_to_device(scale, &start, sizeof(start));
  const ops::Weights<device::Half> weights{.values = {gpu.put_as<float>(numbers(count, 1)), count},
                                           .gradients = gpu.put(gradients),
                                           .rounded = gpu.room(count),
                                           .factor = {.loss_scale = scale}};
  float* const velocity = gpu.arena.take<float>(count).data();

  if (is_by_squares) {
    double* const sum = gpu.arena.take<double>(1).data();
    gpu.ops->add_squares({weights.gradients, count}, sum);
    gpu.ops->find_overflow(sum, scale);
  } else {
    gpu.ops->find_overflow({weights.gradients, count}, scale);
  }
  gpu.ops->update(ops::Sgd<float>{0.1F, 0.9F, 0.0F}, weights, velocity);
  gpu.ops->advance(scale);

  ops::LossScale end;
  gpu.arena.device().copy_to_host(&end, scale, sizeof(end));
  CHECK(gpu.get(weights.values.data(), count) == numbers(count, 1));
  CHECK(end.scale == start.scale / 2);
  CHECK(end.has_overflowed == 0);
}

// b = 0, 1, ... 6, 0 ...; c = 2. Four parts are the arrays once.
TEST_CASE("the triad computes b + 3 c of all of a GPU's arrays, part by part", "[gpu]") {
  const auto device = require_gpu().make_device(0);
  const auto triad = require_gpu().make_triad(*device);
  const std::size_t count = triad->memory_bytes() / 3 / sizeof(double);
  const auto expected = [](std::size_t i) { return static_cast<double>(i % 7) + 6.0; };
  CHECK(triad->part_bytes() * 4 == triad->memory_bytes());

  triad->run_part();
  triad->finish();
  CHECK(triad->result(1) == 7.0);
  CHECK(triad->result(count / 4 - 1) == expected(count / 4 - 1));
  CHECK(triad->result(count / 4) == 0.0);
  for (int part = 1; part < 4; ++part) {
    triad->run_part();
  }
  triad->finish();
  CHECK(triad->result(count / 2) == expected(count / 2));
  CHECK(triad->result(count - 1) == expected(count - 1));
}

TEMPLATE_TEST_CASE("sums on a GPU have the same bits every time", "[gpu]", float, device::Bf16) {
  require_gpu();
  const auto run = [] {
    test::Side<TestType> gpu({.is_deterministic = true});
    constexpr std::size_t rows = 5000;
    constexpr std::size_t columns = 70;
    TestType* const sums = gpu.room(columns);
    TestType* const c = gpu.room(columns * columns);
    auto* const loss = gpu.template put_as<double>({0.0});
    TestType* const y = gpu.put(small_numbers(rows * columns, 1));
    gpu.ops->column_sums({y, rows, columns}, sums);
    gpu.ops->make_matmul({.m = columns, .n = columns, .k = rows, .a_transposed = true}, gpu.arena)
        ->run(y, y, nullptr, c);
    gpu.ops->mean_squared_error(
        {y, rows, columns}, gpu.put(small_numbers(rows * columns, 2)), 1.0, loss);
    std::vector<double> all = gpu.get(sums, columns);
    for (const double value : gpu.get(c, columns * columns)) {
      all.push_back(value);
    }
    all.push_back(gpu.get(loss, 1).front());
    return all;
  };

  const std::vector<double> first = run();

  CHECK(run() == first);
  CHECK(run() == first);
}
