// The operations of transformers, against hand calculations and float against the fp64 reference.
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/cpu_ops.h"
#include "workloads/ops/ops.h"

using namespace scalestudy;
using test::Cpu;
using test::numbers;

namespace {

// y and all gradients, one after the other, as double.
template <typename T>
std::vector<double> joined(std::initializer_list<std::vector<T>> parts) {
  std::vector<double> all;
  for (const std::vector<T>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

template <typename T>
std::vector<double> run_attention(const ops::AttentionShape& shape, int threads) {
  Cpu<T> cpu(threads);
  const auto attention = cpu.ops->make_attention(shape, cpu.arena);
  cpu.arena.seal();
  const std::size_t count = shape.batch * shape.tokens * shape.heads * shape.head_width;
  const std::vector<T> qkv = numbers<T>(3 * count, 1);
  const std::vector<T> dy = numbers<T>(count, 2);
  std::vector<T> y(count);
  std::vector<T> dqkv(3 * count, T(99));
  attention->forward(qkv.data(), y.data());
  attention->backward(qkv.data(), dy.data(), dqkv.data());
  return joined<T>({y, dqkv});
}

template <typename T>
std::vector<double> run_row_norm(const ops::RowNormShape& shape, int threads) {
  Cpu<T> cpu(threads);
  const auto norm = cpu.ops->make_row_norm(shape, cpu.arena);
  const std::vector<T> x = numbers<T>(shape.rows * shape.columns, 1);
  const std::vector<T> dy = numbers<T>(shape.rows * shape.columns, 2);
  const std::vector<T> scale = numbers<T>(shape.columns, 3);
  const std::vector<T> shift = numbers<T>(shape.columns, 4);
  std::vector<T> y(x.size());
  std::vector<T> dx = numbers<T>(x.size(), 5);
  std::vector<T> dscale(shape.columns);
  std::vector<T> dshift(shape.columns);
  norm->forward(x.data(), scale.data(), shape.is_rms ? nullptr : shift.data(), y.data());
  norm->backward(x.data(),
                 scale.data(),
                 dy.data(),
                 dscale.data(),
                 shape.is_rms ? nullptr : dshift.data(),
                 dx.data());
  return joined<T>({y, dx, dscale, dshift});
}

template <typename T>
std::vector<double> run_activation(const ops::ActivationShape& shape, int threads) {
  Cpu<T> cpu(threads);
  const auto activation = cpu.ops->make_activation(shape, cpu.arena);
  const std::size_t count = shape.rows * shape.columns;
  const std::vector<T> x = numbers<T>((shape.is_swiglu ? 2 : 1) * count, 1);
  const std::vector<T> dy = numbers<T>(count, 2);
  std::vector<T> y(count);
  std::vector<T> dx(x.size());
  std::vector<T> bias(shape.columns);
  activation->forward(x.data(), y.data());
  activation->backward(x.data(), dy.data(), dx.data(), shape.is_swiglu ? nullptr : bias.data());
  return joined<T>({y, dx, bias});
}

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

// Largest difference between `gradient`, which is d sum(dy y) / d x, and central differences of
// outputs(), which reads x.
double worst_gradient(std::vector<double>& x,
                      const std::vector<double>& gradient,
                      const std::vector<double>& dy,
                      const std::function<std::vector<double>()>& outputs) {
  constexpr double h = 1e-5;
  std::vector<double> differences;
  for (double& value : x) {
    const double origin = value;
    const auto weighted = [&](double moved) {
      value = moved;
      const std::vector<double> y = outputs();
      return std::inner_product(y.begin(), y.end(), dy.begin(), 0.0);
    };
    differences.push_back((weighted(origin + h) - weighted(origin - h)) / (2.0 * h));
    value = origin;
  }
  return worst_difference(differences, gradient);
}

}  // namespace

// One head of width 1, two tokens, queries (1, 1), keys (0, ln 3), values (4, 8). The first token
// sees itself: 4. The second weighs softmax(0, ln 3) = (1/4, 3/4): 1 + 6 = 7.
TEST_CASE("attention matches a hand calculation", "[ops]") {
  Cpu<double> cpu;
  const auto attention =
      cpu.ops->make_attention({.batch = 1, .tokens = 2, .heads = 1, .head_width = 1}, cpu.arena);
  const std::vector<double> qkv = {1, 0, 4, 1, std::log(3.0), 8};
  std::vector<double> y(2);

  attention->forward(qkv.data(), y.data());

  CHECK(y[0] == Approx(4.0));
  CHECK(y[1] == Approx(7.0));
}

// Queries and keys are (1, 0) everywhere: turned by their positions, their product is the cosine of
// the distance. The first token alone has value 1, so that the output is its weight.
TEST_CASE("rotary positions weigh tokens by their distance", "[ops]") {
  constexpr std::size_t tokens = 4;
  Cpu<double> cpu;
  const auto attention = cpu.ops->make_attention(
      {.batch = 1, .tokens = tokens, .heads = 1, .head_width = 2, .has_rotary = true}, cpu.arena);
  std::vector<double> qkv;
  for (std::size_t token = 0; token < tokens; ++token) {
    qkv.insert(qkv.end(), {1, 0, 1, 0, token == 0 ? 1.0 : 0.0, 0});
  }
  std::vector<double> y(2 * tokens);

  attention->forward(qkv.data(), y.data());

  // A pair of width 2 turns by 1 radian a position; scores are scaled by 1 / sqrt(2).
  double sum = 0.0;
  for (std::size_t distance = 0; distance < tokens; ++distance) {
    sum += std::exp(std::cos(static_cast<double>(distance)) / std::sqrt(2.0));
  }
  CHECK(y[2 * (tokens - 1)] == Approx(std::exp(std::cos(3.0) / std::sqrt(2.0)) / sum));
  // 3 * 10000^(-2/4)
  CHECK(ops::rotary_angle(3, 1, 4) == Approx(0.03));
}

TEST_CASE("float attention agrees with the reference, on several threads too", "[ops]") {
  const bool has_rotary = GENERATE(false, true);
  const ops::AttentionShape shape{
      .batch = 2, .tokens = 33, .heads = 3, .head_width = 16, .has_rotary = has_rotary};

  const std::vector<double> expected = run_attention<double>(shape, 1);

  // Sums of up to 33 products of numbers below 1.
  CHECK(worst_difference(run_attention<float>(shape, 1), expected) < 1e-5);
  CHECK(worst_difference(run_attention<float>(shape, 2), expected) < 1e-5);
}

// 300 tokens are two blocks of 128 queries and a part of one.
TEST_CASE("float attention of a long sequence in blocks agrees with the reference", "[ops]") {
  const bool has_rotary = GENERATE(false, true);
  const std::size_t tokens = GENERATE(257, 300, 384);
  const ops::AttentionShape shape{
      .batch = 2, .tokens = tokens, .heads = 3, .head_width = 16, .has_rotary = has_rotary};

  const std::vector<double> expected = run_attention<double>(shape, 1);

  CHECK(worst_difference(run_attention<float>(shape, 1), expected) < 1e-5);
  CHECK(worst_difference(run_attention<float>(shape, 2), expected) < 1e-5);
}

// Of a row the largest score and a factor, 8 bytes; kept, its weights of 4 bytes.
TEST_CASE("float attention of a long sequence keeps no weights unless it is to", "[ops]") {
  const auto bytes = [](std::size_t batch, std::size_t tokens, bool keeps_weights) {
    const auto device = device::make_cpu_device();
    device::Arena arena(*device);
    const auto cpu = ops::make_cpu_ops<float>(1, keeps_weights);
    const auto attention = cpu->make_attention(
        {.batch = batch, .tokens = tokens, .heads = 3, .head_width = 16}, arena);
    arena.seal();
    return arena.bytes();
  };
  const auto bytes_of_sample = [&](std::size_t tokens, bool keeps_weights) {
    return bytes(2, tokens, keeps_weights) - bytes(1, tokens, keeps_weights);
  };

  CHECK(bytes_of_sample(1024, false) == 3 * 1024 * 8);
  CHECK(bytes_of_sample(1024, true) == 3 * 1024 * 1024 * 4);
  CHECK(bytes_of_sample(256, false) == 3 * 256 * 256 * 4);
  CHECK(bytes(1, 1024, false) < bytes(1, 1024, true) / 4);
}

// 3 * 64 * 64 weights of 2 bytes for each sample more; so do GPUs, whose memory is estimated by
// this.
TEMPLATE_TEST_CASE("attention in 16 bits keeps its weights in 16 bits, and is right",
                   "[ops]",
                   device::Bf16,
                   device::Half) {
  const bool has_rotary = GENERATE(false, true);
  const ops::AttentionShape shape{
      .batch = 2, .tokens = 64, .heads = 3, .head_width = 16, .has_rotary = has_rotary};
  const auto bytes = [&](std::size_t batch) {
    ops::AttentionShape other = shape;
    other.batch = batch;
    other.has_rotary = false;
    Cpu<TestType> cpu;
    const auto attention = cpu.ops->make_attention(other, cpu.arena);
    cpu.arena.seal();
    return cpu.arena.bytes();
  };

  CHECK(bytes(4) - bytes(2) == 2 * 3 * 64 * 64 * 2);
  // Weights below 1 of 8 bits, and sums of up to 64 of their products.
  CHECK(worst_difference(run_attention<TestType>(shape, 1), run_attention<double>(shape, 1)) <
        0.05);
  CHECK(run_attention<TestType>(shape, 2) == run_attention<TestType>(shape, 1));
}

// bf16 has 8 bits: a sum of 1000 ones in it would end at 256.
TEST_CASE("gradients of biases, tokens and positions in 16 bits are rounded once", "[ops]") {
  constexpr std::size_t rows = 1000;
  Cpu<device::Bf16> cpu;
  const std::vector<device::Bf16> dy(2 * rows, device::Bf16(1.0F));
  std::vector<device::Bf16> dx(2 * rows);
  std::vector<device::Bf16> bias(2);
  const std::vector<device::Bf16> x(2 * rows, device::Bf16(20.0F));  // where GELU is the identity
  cpu.ops->make_activation({rows, 2, false}, cpu.arena)
      ->backward(x.data(), dy.data(), dx.data(), bias.data());
  CHECK(static_cast<float>(bias[1]) == 1000.0F);

  const bool is_tied = GENERATE(false, true);
  const auto embedding = cpu.ops->make_embedding({.batch = rows,
                                                  .tokens = 1,
                                                  .width = 2,
                                                  .vocabulary = 3,
                                                  .has_positions = true,
                                                  .is_tied = is_tied},
                                                 cpu.arena);
  std::vector<std::int32_t> tokens(rows, 2);
  tokens[7] = 0;
  std::vector<device::Bf16> table(3 * 2, device::Bf16(1.0F));
  std::vector<device::Bf16> positions(2);
  embedding->backward(tokens.data(), dy.data(), table.data(), positions.data());
  const float before = is_tied ? 1.0F : 0.0F;
  CHECK(static_cast<float>(positions[1]) == 1000.0F);
  CHECK(static_cast<float>(table[1]) == 1.0F + before);
  CHECK(static_cast<float>(table[3]) == before);
  CHECK(static_cast<float>(table[5]) == static_cast<float>(device::Bf16(999.0F + before)));
}

TEST_CASE("what an embedding in 16 bits needs is in its arena", "[ops]") {
  Cpu<device::Bf16> cpu;
  const auto embedding =
      cpu.ops->make_embedding({.batch = 10, .tokens = 100, .width = 2, .vocabulary = 3}, cpu.arena);
  cpu.arena.seal();
  CHECK(cpu.arena.bytes() == 16'000);  // of 1000 rows the token and the place, 8 bytes each
}

TEST_CASE("gradients of attention are central differences", "[ops]") {
  const bool has_rotary = GENERATE(false, true);
  const ops::AttentionShape shape{
      .batch = 2, .tokens = 4, .heads = 2, .head_width = 2, .has_rotary = has_rotary};
  Cpu<double> cpu;
  const auto attention = cpu.ops->make_attention(shape, cpu.arena);
  std::vector<double> qkv = numbers<double>(2 * 4 * 3 * 4, 1);
  const std::vector<double> dy = numbers<double>(2 * 4 * 4, 2);
  std::vector<double> y(dy.size());
  std::vector<double> dqkv(qkv.size());
  attention->forward(qkv.data(), y.data());
  attention->backward(qkv.data(), dy.data(), dqkv.data());

  const auto outputs = [&] {
    attention->forward(qkv.data(), y.data());
    return y;
  };
  CHECK(worst_gradient(qkv, dqkv, dy, outputs) < 1e-9);
}

// Row (1, 3): mean 2, variance 1, with epsilon 3 deviation 2: (-1/2, 1/2); scaled by (2, 5),
// shifted by (10, 20): (9, 22.5).
TEST_CASE("LayerNorm matches a hand calculation", "[ops]") {
  Cpu<double> cpu;
  const auto norm = cpu.ops->make_row_norm({.rows = 1, .columns = 2, .epsilon = 3.0}, cpu.arena);
  const std::vector<double> x = {1, 3};
  const std::vector<double> scale = {2, 5};
  const std::vector<double> shift = {10, 20};
  std::vector<double> y(2);

  norm->forward(x.data(), scale.data(), shift.data(), y.data());

  CHECK(y == std::vector<double>{9, 22.5});
}

// Row (1, 7): mean square 25, with epsilon 75 root 10: (0.1, 0.7); scaled by (10, 5): (1, 3.5).
TEST_CASE("RMSNorm matches a hand calculation", "[ops]") {
  Cpu<double> cpu;
  const auto norm =
      cpu.ops->make_row_norm({.rows = 1, .columns = 2, .is_rms = true, .epsilon = 75.0}, cpu.arena);
  const std::vector<double> x = {1, 7};
  const std::vector<double> scale = {10, 5};
  std::vector<double> y(2);

  norm->forward(x.data(), scale.data(), nullptr, y.data());

  CHECK(y[0] == Approx(1.0));
  CHECK(y[1] == Approx(3.5));
}

TEST_CASE("gradients of row norms are central differences", "[ops]") {
  const bool is_rms = GENERATE(false, true);
  const ops::RowNormShape shape{
      .rows = 3, .columns = 5, .is_rms = is_rms, .is_residual = false, .epsilon = 0.01};
  Cpu<double> cpu;
  const auto norm = cpu.ops->make_row_norm(shape, cpu.arena);
  std::vector<double> x = numbers<double>(15, 1);
  const std::vector<double> dy = numbers<double>(15, 2);
  std::vector<double> scale = numbers<double>(5, 3);
  std::vector<double> shift = numbers<double>(5, 4);
  const auto outputs = [&] {
    std::vector<double> y(15);
    norm->forward(x.data(), scale.data(), is_rms ? nullptr : shift.data(), y.data());
    return y;
  };
  std::vector<double> dx(15);
  std::vector<double> dscale(5);
  std::vector<double> dshift(5);
  outputs();
  norm->backward(x.data(),
                 scale.data(),
                 dy.data(),
                 dscale.data(),
                 is_rms ? nullptr : dshift.data(),
                 dx.data());

  CHECK(worst_gradient(x, dx, dy, outputs) < 1e-9);
  CHECK(worst_gradient(scale, dscale, dy, outputs) < 1e-9);
  CHECK(worst_gradient(shift, dshift, dy, outputs) < 1e-9);
}

TEST_CASE("a row norm adds its gradient to that of the residual path, or writes it", "[ops]") {
  const ops::RowNormShape added{.rows = 3, .columns = 5};
  ops::RowNormShape written = added;
  written.is_residual = false;
  const std::vector<double> residual = numbers<double>(15, 5);

  const std::vector<double> sum = run_row_norm<double>(added, 1);
  const std::vector<double> alone = run_row_norm<double>(written, 1);

  for (std::size_t i = 0; i < 15; ++i) {
    CHECK(sum[15 + i] == Approx(alone[15 + i] + residual[i]));
  }
}

TEST_CASE("float row norms agree with the reference, on several threads too", "[ops]") {
  const bool is_rms = GENERATE(false, true);
  const ops::RowNormShape shape{.rows = 37, .columns = 65, .is_rms = is_rms};

  const std::vector<double> expected = run_row_norm<double>(shape, 1);

  CHECK(worst_difference(run_row_norm<float>(shape, 1), expected) < 1e-5);
  CHECK(worst_difference(run_row_norm<float>(shape, 2), expected) < 1e-5);
  CHECK(worst_difference(run_row_norm<double>(shape, 2), expected) < 1e-13);
}

// source: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), evaluated here.
TEST_CASE("GELU is its tanh form", "[ops]") {
  for (const double x : {-4.0, -1.0, 0.0, 0.5, 3.0}) {
    const double expected =
        0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
    CHECK(ops::Gelu<double>::forward(x) == Approx(expected).margin(1e-15));
  }
  CHECK(ops::Gelu<float>::forward(-100.0F) == 0.0F);
  CHECK(ops::Gelu<float>::forward(100.0F) == 100.0F);
}

// silu(0) = 0; silu(ln 3) = ln 3 * 3/4.
TEST_CASE("SwiGLU matches a hand calculation", "[ops]") {
  Cpu<double> cpu;
  const auto activation =
      cpu.ops->make_activation({.rows = 1, .columns = 2, .is_swiglu = true}, cpu.arena);
  const std::vector<double> x = {0, std::log(3.0), 5, 8};
  std::vector<double> y(2);

  activation->forward(x.data(), y.data());

  CHECK(y[0] == 0.0);
  CHECK(y[1] == Approx(6.0 * std::log(3.0)));
}

TEST_CASE("gradients of activations are central differences", "[ops]") {
  const bool is_swiglu = GENERATE(false, true);
  Cpu<double> cpu;
  const auto activation =
      cpu.ops->make_activation({.rows = 3, .columns = 4, .is_swiglu = is_swiglu}, cpu.arena);
  std::vector<double> x = numbers<double>(is_swiglu ? 24 : 12, 1);
  const std::vector<double> dy = numbers<double>(12, 2);
  std::vector<double> dx(x.size());
  std::vector<double> bias(4);
  const auto outputs = [&] {
    std::vector<double> y(12);
    activation->forward(x.data(), y.data());
    return y;
  };
  activation->backward(x.data(), dy.data(), dx.data(), is_swiglu ? nullptr : bias.data());

  CHECK(worst_gradient(x, dx, dy, outputs) < 1e-9);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(bias[i] == Approx(is_swiglu ? 0.0 : dx[i] + dx[4 + i] + dx[8 + i]));
  }
}

TEST_CASE("float activations agree with the reference, on several threads too", "[ops]") {
  const bool is_swiglu = GENERATE(false, true);
  const ops::ActivationShape shape{.rows = 9, .columns = 35, .is_swiglu = is_swiglu};

  const std::vector<double> expected = run_activation<double>(shape, 1);

  CHECK(worst_difference(run_activation<float>(shape, 1), expected) < 5e-6);
  CHECK(worst_difference(run_activation<float>(shape, 2), expected) < 5e-6);
}

// Tokens (2, 0, 2) of one sample, width 1. Rows of the table (10, 20, 30), positions (1, 2, 3):
// (31, 12, 33). Gradients (5, 7, 9) land on rows 0: 7 and 2: 5 + 9.
TEST_CASE("an embedding gathers rows and scatters their gradients", "[ops]") {
  const bool is_tied = GENERATE(false, true);
  Cpu<double> cpu;
  const auto embedding = cpu.ops->make_embedding({.batch = 1,
                                                  .tokens = 3,
                                                  .width = 1,
                                                  .vocabulary = 3,
                                                  .has_positions = true,
                                                  .is_tied = is_tied},
                                                 cpu.arena);
  const std::vector<std::int32_t> tokens = {2, 0, 2};
  const std::vector<double> table = {10, 20, 30};
  const std::vector<double> positions = {1, 2, 3};
  const std::vector<double> dy = {5, 7, 9};
  std::vector<double> y(3);
  std::vector<double> dtable = {100, 200, 300};  // of tied output weights
  std::vector<double> dpositions = {1, 1, 1};

  embedding->forward(tokens.data(), table.data(), positions.data(), y.data());
  embedding->backward(tokens.data(), dy.data(), dtable.data(), dpositions.data());

  CHECK(y == std::vector<double>{31, 12, 33});
  CHECK(dtable == (is_tied ? std::vector<double>{107, 200, 314} : std::vector<double>{7, 0, 14}));
  CHECK(dpositions == dy);
}
