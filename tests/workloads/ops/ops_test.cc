#include "workloads/ops/ops.h"

#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/cpu_ops.h"
#include "workloads/ops/cpu/cpu_library.h"

using namespace scalestudy;
using test::numbers;

namespace {

// The product of fixed random operands, which were of type Operand before, as double.
template <typename T, typename Operand = T>
std::vector<double> product(const ops::MatmulShape& shape) {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  const auto cpu = ops::make_cpu_ops<T>(1);
  const auto matmul = cpu->make_matmul(shape, arena);
  const auto a = test::operands<T, Operand>(shape.m * shape.k, 1);
  const auto b = test::operands<T, Operand>(shape.k * shape.n, 2);
  const auto bias = test::operands<T, Operand>(shape.n, 3);
  std::vector<T> c(shape.m * shape.n, T{99});
  matmul->run(a.data(), b.data(), shape.has_bias ? bias.data() : nullptr, c.data());
  return {c.begin(), c.end()};
}

template <typename T>
std::vector<T> dropout_masks(int threads, const ops::DropoutKey& key, std::size_t rows) {
  constexpr std::size_t columns = 1003;  // not a multiple of four
  const auto cpu = ops::make_cpu_ops<T>(threads);
  std::vector<T> y(rows * columns, T{1});
  cpu->relu_dropout_forward({y.data(), rows, columns}, ops::make_relu_dropout<T>(0.25), key);
  return y;
}

}  // namespace

// bf16 has 8 bits: 256 + 1 is 256, and 512 ones added up in it would be 256.
TEST_CASE("many small gradients accumulate to their sum in 16 bits too", "[ops]") {
  const auto cpu = ops::make_cpu_ops<device::Bf16>(1);
  const std::vector<device::Bf16> ones(3, device::Bf16(1.0F));
  std::vector<float> sum(3);
  std::vector<device::Bf16> last = ones;

  for (int i = 0; i < 511; ++i) {
    cpu->accumulate(sum, ones.data());
  }
  cpu->add_accumulated(last, sum.data());

  CHECK(static_cast<float>(last[0]) == 512.0F);
  CHECK(static_cast<float>(last[2]) == 512.0F);
}

// The same of the gradients of biases, over 1000 rows.
TEST_CASE("column sums of 16 bits are rounded once", "[ops]") {
  constexpr std::size_t rows = 1000;
  constexpr std::size_t columns = 600;  // more than a block of sums
  const auto cpu = ops::make_cpu_ops<device::Bf16>(GENERATE(1, 2));
  std::vector<device::Bf16> dy(rows * columns, device::Bf16(1.0F));
  const std::vector<device::Bf16> y = dy;
  std::vector<device::Bf16> sums(columns);
  const std::vector<device::Bf16> expected(columns, device::Bf16(1000.0F));
  const auto check = [&] {
    CHECK(std::equal(
        sums.begin(), sums.end(), expected.begin(), [](float a, float b) { return a == b; }));
  };

  cpu->column_sums({dy.data(), rows, columns}, sums.data());
  check();
  sums.assign(columns, device::Bf16(99.0F));
  cpu->relu_dropout_backward(
      {dy.data(), rows, columns}, y.data(), ops::make_relu_dropout<device::Bf16>(0.0), sums.data());
  check();
}

// A (2, 2) = [1 2; 3 4], B (2, 2) = [5 6; 7 8]: by hand A B = [19 22; 43 50].
TEST_CASE("the reference product is the textbook's", "[ops]") {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  const auto cpu = ops::make_cpu_ops<double>(1);
  const std::vector<double> a = {1, 2, 3, 4};
  const std::vector<double> a_transposed = {1, 3, 2, 4};
  const std::vector<double> b = {5, 6, 7, 8};
  const std::vector<double> b_transposed = {5, 7, 6, 8};
  const std::vector<double> bias = {100, 200};
  std::vector<double> c(4);

  cpu->make_matmul({2, 2, 2}, arena)->run(a.data(), b.data(), nullptr, c.data());
  CHECK(c == std::vector<double>{19, 22, 43, 50});
  cpu->make_matmul({2, 2, 2, true, true, true}, arena)
      ->run(a_transposed.data(), b_transposed.data(), bias.data(), c.data());
  CHECK(c == std::vector<double>{119, 222, 143, 250});
}

TEST_CASE("float products agree with the reference in every layout", "[ops]") {
  const auto shape = GENERATE(ops::MatmulShape{33, 17, 65, false, false, true},
                              ops::MatmulShape{33, 17, 65, false, false, false},
                              ops::MatmulShape{33, 17, 65, true, false, false},
                              ops::MatmulShape{33, 17, 65, false, true, false},
                              // Much deeper than wide, and weights beyond a core's caches: chosen
                              // differently.
                              ops::MatmulShape{33, 5, 65, true, false, false},
                              ops::MatmulShape{3, 16385, 65, false, false, true},
                              ops::MatmulShape{3, 16385, 65, false, true, false});

  const std::vector<double> found = product<float>(shape);
  const std::vector<double> expected = product<double>(shape);

  double worst = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(found[i] - expected[i]));
  }
  // 65 products below 1 in magnitude, each rounded to 2^-24.
  CHECK(worst < 65 * 2 * 0x1p-24);
}

// Operands are the same on both sides; a product of bf16 is exact in fp32, so that all error is the
// rounding of sums to fp32 and of the result to 8 bits.
TEST_CASE("bf16 products are summed in fp32 and rounded once, in every layout", "[ops]") {
  const auto shape = GENERATE(ops::MatmulShape{33, 17, 65, false, false, true},
                              ops::MatmulShape{33, 17, 65, true, false, false},
                              ops::MatmulShape{33, 17, 65, false, true, true},
                              ops::MatmulShape{1, 1, 1, false, false, false},
                              ops::MatmulShape{3, 1025, 64, false, false, true},
                              ops::MatmulShape{7, 5, 10007, true, false, false});

  const std::vector<double> found = product<device::Bf16>(shape);
  const std::vector<double> expected = product<double, device::Bf16>(shape);

  double worst = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double sums = static_cast<double>(shape.k) * 0x1p-24;
    worst = std::max(worst, std::abs(found[i] - expected[i]) / (std::abs(expected[i]) + sums));
  }
  CHECK(worst <= 0x1p-8 + 0x1p-14);
}

TEST_CASE("a deep product of ones in bf16 is their number", "[ops]") {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  const auto cpu = ops::make_cpu_ops<device::Bf16>(1);
  const ops::MatmulShape shape{16, 16, 16384, true, false, false};
  const auto matmul = cpu->make_matmul(shape, arena);
  const std::vector<device::Bf16> ones(shape.m * shape.k, device::Bf16(1.0F));
  std::vector<device::Bf16> c(shape.m * shape.n);

  matmul->run(ones.data(), ones.data(), nullptr, c.data());

  for (const device::Bf16 value : c) {
    CHECK(static_cast<float>(value) == 16384.0F);
  }
}

// Of a run's record. Kernels of these cores have names that say so; loops have none.
TEST_CASE("products in bf16 are the cores' own, and named", "[ops]") {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  const auto cpu = ops::make_cpu_ops<device::Bf16>(1);
  CHECK(cpu->choices().empty());

  cpu->make_matmul({64, 64, 64}, arena);

  if (ops::has_bf16_products()) {
    CHECK(cpu->choices().at("algorithms").find("matmul: brg:avx512_core_bf16") == 0);
  } else {
    CHECK(cpu->choices().empty());
  }
}

// The likely label: logits (0, 8), softmax (3.35e-4, 1 - 3.35e-4). Rounded to 8 bits before 1 is
// taken away, the second would be 1 and leave no gradient.
TEMPLATE_TEST_CASE("a label that is all but certain keeps its gradient in 16 bits",
                   "[ops]",
                   device::Bf16,
                   device::Half) {
  const auto cpu = ops::make_cpu_ops<TestType>(1);
  std::vector<TestType> logits = {TestType(0.0F), TestType(8.0F)};
  const std::int32_t label = 1;

  double loss = 0.0;
  cpu->softmax_cross_entropy({logits.data(), 1, 2}, {&label, 2}, 1.0, &loss);

  const double unlikely = 1.0 / (1.0 + std::exp(8.0));
  CHECK(static_cast<double>(logits[0]) == Approx(unlikely).epsilon(6e-3));
  CHECK(static_cast<double>(logits[1]) == Approx(-unlikely).epsilon(6e-3));
}

// Logits (0, ln 3): softmax (1/4, 3/4). Label 0: loss ln 4, gradient (-3/4, 3/4).
TEMPLATE_TEST_CASE("softmax cross entropy matches a hand calculation", "[ops]", float, double) {
  const auto cpu = ops::make_cpu_ops<TestType>(1);
  std::vector<TestType> logits = {TestType{0}, static_cast<TestType>(std::log(3.0))};
  const std::int32_t label = 0;

  double loss = 0.0;
  cpu->softmax_cross_entropy({logits.data(), 1, 2}, {&label, 2}, 10.0, &loss);

  CHECK(loss == Approx(10.0 * std::log(4.0)).epsilon(1e-6));
  CHECK(static_cast<double>(logits[0]) == Approx(-7.5).epsilon(1e-6));
  CHECK(static_cast<double>(logits[1]) == Approx(7.5).epsilon(1e-6));
}

// The same row with two columns of padding, whose logits would take all of the probability.
TEMPLATE_TEST_CASE("softmax cross entropy does not see padding and leaves it zero",
                   "[ops]",
                   float,
                   double,
                   device::Bf16) {
  const auto cpu = ops::make_cpu_ops<TestType>(1);
  const auto odds = static_cast<TestType>(std::log(3.0F));
  std::vector<TestType> logits = {TestType(0.0F),
                                  odds,
                                  TestType(90.0F),
                                  TestType(90.0F),
                                  odds,
                                  TestType(0.0F),
                                  TestType(90.0F),
                                  TestType(90.0F)};
  const std::vector<std::int32_t> labels = {0, 1};

  double loss = 0.0;
  cpu->softmax_cross_entropy({logits.data(), 2, 4}, {labels.data(), 2}, 10.0, &loss);

  CHECK(loss == Approx(20.0 * std::log(4.0)).epsilon(6e-3));  // bf16 has 8 bits
  const std::vector<double> gradient(logits.begin(), logits.end());
  const std::vector<double> expected = {-7.5, 7.5, 0.0, 0.0, 7.5, -7.5, 0.0, 0.0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(gradient[i] == Approx(expected[i]).epsilon(6e-3));
  }
}

TEST_CASE("softmax cross entropy survives logits that overflow an exponential", "[ops]") {
  const auto cpu = ops::make_cpu_ops<float>(1);
  std::vector<float> logits = {1000.0F, 0.0F};
  const std::int32_t label = 1;

  double loss = 0.0;
  cpu->softmax_cross_entropy({logits.data(), 1, 2}, {&label, 2}, 1.0, &loss);
  CHECK(loss == Approx(1000.0));
}

TEST_CASE("a loss has the same bits in every run, however many threads sum it", "[ops]") {
  constexpr std::size_t rows = 97;
  constexpr std::size_t classes = 500;
  const test::Cpu<float> cpu(4);
  const std::vector<float> logits = numbers<float>(rows * classes, 1, 10.0);
  const std::vector<std::int32_t> labels(rows, 1);
  std::set<double> losses;
  for (int run = 0; run < 1000; ++run) {
    std::vector<float> own = logits;
    double loss = 0.0;
    cpu.ops->softmax_cross_entropy(
        {own.data(), rows, classes}, {labels.data(), classes}, 1.0, &loss);
    losses.insert(loss);
  }
  CHECK(losses.size() == 1);
}

// Outputs (1, 4), targets (0, 2): mean of squares (1 + 4) / 2; gradient 2 (1, 2) / 2.
TEST_CASE("the mean squared error matches a hand calculation", "[ops]") {
  const auto cpu = ops::make_cpu_ops<double>(1);
  std::vector<double> output = {1, 4};
  const std::vector<double> target = {0, 2};

  double loss = 1.0;
  cpu->mean_squared_error({output.data(), 1, 2}, target.data(), 3.0, &loss);
  CHECK(loss == 1.0 + 3.0 * 2.5);
  CHECK(output == std::vector<double>{3, 6});
}

TEST_CASE("dropout keeps the declared share and the expectation", "[ops]") {
  const std::vector<double> y = dropout_masks<double>(1, {.seed = 3, .step = 5, .layer = 1}, 100);

  double kept = 0.0;
  double sum = 0.0;
  for (const double value : y) {
    kept += value > 0.0 ? 1.0 : 0.0;
    sum += value;
  }
  // 100,300 draws: five standard deviations of a share of 0.75 are 0.0068.
  CHECK(kept / static_cast<double>(y.size()) == Approx(0.75).margin(0.0068));
  CHECK(sum / static_cast<double>(y.size()) == Approx(1.0).margin(0.0068 / 0.75));
}

TEST_CASE("a dropout mask depends on the global sample, not on the split", "[ops]") {
  constexpr std::size_t columns = 1003;
  const ops::DropoutKey key{.seed = 3, .step = 5, .layer = 1, .first_sample = 0};
  ops::DropoutKey second_half = key;
  second_half.first_sample = 2;

  const std::vector<double> whole = dropout_masks<double>(1, key, 4);
  const std::vector<double> half = dropout_masks<double>(1, second_half, 2);
  const std::vector<float> threaded = dropout_masks<float>(2, key, 4);

  CHECK(half == std::vector<double>(whole.begin() + 2 * columns, whole.end()));
  CHECK(std::equal(whole.begin(), whole.end(), threaded.begin(), [](double a, float b) {
    return (a > 0.0) == (b > 0.0F);
  }));
}

TEST_CASE("dropout masks differ between steps, layers and seeds", "[ops]") {
  const ops::DropoutKey key{.seed = 3, .step = 5, .layer = 1};
  const std::vector<double> mask = dropout_masks<double>(1, key, 1);

  CHECK(mask != dropout_masks<double>(1, {.seed = 3, .step = 6, .layer = 1}, 1));
  CHECK(mask != dropout_masks<double>(1, {.seed = 3, .step = 5, .layer = 2}, 1));
  CHECK(mask != dropout_masks<double>(1, {.seed = 4, .step = 5, .layer = 1}, 1));
}

// By hand, two steps from p = 1, v = 0 with g = 2, rate 0.1, momentum 0.75, decay 0.1:
// v = 2.1, p = 0.79; v = 1.575 + 2.079 = 3.654, p = 0.4246.
TEST_CASE("sgd with momentum and decay matches a hand calculation", "[ops]") {
  const auto cpu = ops::make_cpu_ops<double>(1);
  std::vector<double> p = {1.0};
  std::vector<double> v = {0.0};
  const double g = 2.0;
  const ops::Sgd<double> rule{0.1, 0.75, 0.1};

  cpu->update(rule, {p, &g}, v.data());
  CHECK(p[0] == Approx(0.79));
  cpu->update(rule, {p, &g}, v.data());
  CHECK(p[0] == Approx(0.4246));
}

// By hand, first step: the corrections make m_hat = g and v_hat = g^2, so p falls by
// rate (g / (|g| + epsilon) + decay p) = 0.1 (1 + 0.5 * 1) = 0.15.
TEST_CASE("the first adamw step has the size of the learning rate", "[ops]") {
  const auto cpu = ops::make_cpu_ops<double>(1);
  std::vector<double> p = {1.0};
  std::vector<double> m = {0.0};
  std::vector<double> v = {0.0};
  const double g = 3.0;
  const ops::AdamW<double> rule{0.1, 0.9, 0.999, 1e-8, 0.5, 1.0 / (1.0 - 0.9), 1.0 / (1.0 - 0.999)};

  cpu->update(rule, {p, &g}, m.data(), v.data());

  CHECK(p[0] == Approx(0.85));
}

// By hand, with beta1 = 1/2, beta2 = 3/4, epsilon = 1 and gradients 2 and 6. m = 1, v = 1,
// corrected 2 and 4; m = 7/2, v = 39/4, corrected by 4/3 and 16/7: 14/3 and 156/7.
TEST_CASE("adamw remembers both moments and adds epsilon to the root", "[ops]") {
  const auto cpu = ops::make_cpu_ops<double>(1);
  std::vector<double> p = {1.0};
  std::vector<double> m = {0.0};
  std::vector<double> v = {0.0};
  const double first = 2.0;
  const double second = 6.0;

  cpu->update(
      ops::AdamW<double>{0.1, 0.5, 0.75, 1.0, 0.0, 2.0, 4.0}, {p, &first}, m.data(), v.data());
  CHECK(p[0] == Approx(1.0 - 0.1 * 2.0 / 3.0));
  const double before = p[0];
  cpu->update(ops::AdamW<double>{0.1, 0.5, 0.75, 1.0, 0.0, 4.0 / 3.0, 16.0 / 7.0},
              {p, &second},
              m.data(),
              v.data());
  CHECK(p[0] == Approx(before - 0.1 * (14.0 / 3.0) / (std::sqrt(156.0 / 7.0) + 1.0)));
}

TEST_CASE("a sealed arena refuses memory and knows its size", "[device]") {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  const std::span<float> buffer = arena.take<float>(10);
  arena.seal();

  CHECK(arena.bytes() == 40);
  CHECK(buffer[9] == 0.0F);
  CHECK_THROWS_AS(arena.take<float>(1), std::logic_error);
}
