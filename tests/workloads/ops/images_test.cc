// Convolution, batch normalisation and pooling.
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/cpu_ops.h"
#include "workloads/ops/ops.h"

using namespace scalestudy;
using test::Cpu;
using test::difference;
using test::numbers;

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// What a convolution of fixed random operands, which were of type Operand before, gives, forward
// and backward.
template <typename T, typename Operand = T>
struct Convolved {
  explicit Convolved(const ops::ConvolutionShape& s)
      : x(test::operands<T, Operand>(s.batch * s.height * s.width * s.channels, 1)),
        weights(
            test::operands<T, Operand>(s.output_channels * s.kernel * s.kernel * s.channels, 2)),
        dy(test::operands<T, Operand>(
            s.batch * s.output_height() * s.output_width() * s.output_channels, 3)),
        y(dy.size(), T{99}),
        dx(x.size(), T{99}),
        dweights(weights.size(), T{99}) {
    Cpu<T> cpu;
    const auto convolution = cpu.ops->make_convolution(s, cpu.arena);
    convolution->forward(x.data(), weights.data(), y.data());
    convolution->backward_weights(x.data(), dy.data(), dweights.data());
    convolution->backward_input(dy.data(), weights.data(), dx.data());
  }

  std::vector<T> x;
  std::vector<T> weights;
  std::vector<T> dy;
  std::vector<T> y;
  std::vector<T> dx;
  std::vector<T> dweights;
};

ops::ConvolutionShape any_convolution() {
  return GENERATE(ops::ConvolutionShape{2, 6, 5, 3, 8, 3, 1, 1},
                  ops::ConvolutionShape{2, 8, 8, 16, 32, 3, 2, 1},
                  ops::ConvolutionShape{2, 7, 7, 32, 16, 1, 1, 0},
                  ops::ConvolutionShape{2, 7, 7, 16, 32, 1, 2, 0},
                  ops::ConvolutionShape{1, 15, 15, 3, 16, 7, 2, 3});
}

// What a normalisation of fixed random operands gives.
template <typename T>
struct Normalised {
  Normalised(const ops::BatchNormShape& s, bool has_residual, int threads = 1)
      : x(numbers<T>(s.rows * s.channels, 1)),
        residual(numbers<T>(has_residual ? x.size() : 0, 2)),
        scale(numbers<T>(s.channels, 3)),
        shift(numbers<T>(s.channels, 4)),
        dy(numbers<T>(x.size(), 5)),
        y(x.size()),
        dx(x.size()),
        dscale(s.channels),
        dshift(s.channels) {
    Cpu<T> cpu(threads);
    const auto norm = cpu.ops->make_batch_norm(s, cpu.arena);
    for (T& value : x) {
      value += T{5};  // a mean that would cancel in sums of squares
    }
    norm->forward(x.data(),
                  has_residual ? residual.data() : nullptr,
                  scale.data(),
                  shift.data(),
                  y.data(),
                  true);
    norm->backward(
        x.data(), y.data(), scale.data(), dy.data(), dscale.data(), dshift.data(), dx.data());
  }

  std::vector<T> x;
  std::vector<T> residual;
  std::vector<T> scale;
  std::vector<T> shift;
  std::vector<T> dy;  // in the end the gradient of the residual
  std::vector<T> y;
  std::vector<T> dx;
  std::vector<T> dscale;
  std::vector<T> dshift;
};

}  // namespace

// One channel, image [1 2; 3 4], kernel [1 2 3; 4 5 6; 7 8 9], zeros around: by hand the corner of
// the output is 1*5 + 2*6 + 3*8 + 4*9 = 77, then 1*4 + 2*5 + 3*7 + 4*8 = 67, 47, 37.
TEMPLATE_TEST_CASE("a convolution matches a hand calculation", "[ops]", float, double) {
  Cpu<TestType> cpu;
  const std::vector<TestType> x = {1, 2, 3, 4};
  const std::vector<TestType> weights = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<TestType> y(4);

  cpu.ops->make_convolution({1, 2, 2, 1, 1, 3, 1, 1}, cpu.arena)
      ->forward(x.data(), weights.data(), y.data());

  CHECK(y == std::vector<TestType>{77, 67, 47, 37});
}

// A convolution is linear in x and in its weights: <dy, y> = <dx, x> = <dweights, weights>.
TEST_CASE("gradients of the reference convolution are its adjoints", "[ops]") {
  const Convolved<double> c(any_convolution());

  const double product = dot(c.dy, c.y);

  CHECK(dot(c.dx, c.x) == Approx(product).epsilon(1e-12));
  CHECK(dot(c.dweights, c.weights) == Approx(product).epsilon(1e-12));
}

// An inner product alone would not notice gradients at the wrong place: one weight, one pixel.
TEST_CASE("each gradient of the reference convolution is a difference of outputs", "[ops]") {
  const ops::ConvolutionShape shape = any_convolution();
  Convolved<double> c(shape);
  Cpu<double> cpu;
  const auto convolution = cpu.ops->make_convolution(shape, cpu.arena);
  std::vector<double> y(c.y.size());

  const std::size_t weight = c.weights.size() * 2 / 3;
  c.weights[weight] += 1.0;
  convolution->forward(c.x.data(), c.weights.data(), y.data());
  CHECK(dot(c.dy, y) - dot(c.dy, c.y) == Approx(c.dweights[weight]).epsilon(1e-9));

  c.weights[weight] -= 1.0;
  const std::size_t pixel = c.x.size() / 3;
  c.x[pixel] += 1.0;
  convolution->forward(c.x.data(), c.weights.data(), y.data());
  CHECK(dot(c.dy, y) - dot(c.dy, c.y) == Approx(c.dx[pixel]).epsilon(1e-9).margin(1e-12));
}

// Rounded to 8 bits once, whatever the number of products.
TEST_CASE("bf16 convolutions are summed in fp32 and rounded once", "[ops]") {
  const ops::ConvolutionShape shape = any_convolution();

  const Convolved<device::Bf16> found(shape);
  const Convolved<double, device::Bf16> expected(shape);

  CHECK(difference(found.y, expected.y) <= 0x1p-8);
  CHECK(difference(found.dx, expected.dx) <= 0x1p-8);
  CHECK(difference(found.dweights, expected.dweights) <= 0x1p-8);
}

TEST_CASE("a deep sum of ones in bf16 is the gradient of a convolution's weight", "[ops]") {
  Cpu<device::Bf16> cpu;
  const ops::ConvolutionShape shape{4, 64, 64, 16, 16, 1, 1, 0};
  const auto convolution = cpu.ops->make_convolution(shape, cpu.arena);
  const std::vector<device::Bf16> ones(4 * 64 * 64 * 16, device::Bf16(1.0F));
  std::vector<device::Bf16> dweights(16 * 16);

  convolution->backward_weights(ones.data(), ones.data(), dweights.data());

  for (const device::Bf16 value : dweights) {
    CHECK(static_cast<float>(value) == 4.0F * 64.0F * 64.0F);
  }
}

TEST_CASE("float convolutions agree with the reference", "[ops]") {
  const ops::ConvolutionShape shape = any_convolution();

  const Convolved<float> found(shape);
  const Convolved<double> expected(shape);

  CHECK(difference(found.y, expected.y) <= 1e-5);
  CHECK(difference(found.dx, expected.dx) <= 1e-5);
  CHECK(difference(found.dweights, expected.dweights) <= 1e-5);
}

// One channel, rows 1, 2, 3, 6: mean 3, variance 3.5; scale 2, shift 1.
TEMPLATE_TEST_CASE("batch normalisation matches a hand calculation", "[ops]", float, double) {
  Cpu<TestType> cpu;
  const auto norm = cpu.ops->make_batch_norm({.rows = 4, .channels = 1, .epsilon = 0}, cpu.arena);
  const std::vector<TestType> x = {1, 2, 3, 6};
  const TestType scale = 2;
  const TestType shift = 1;
  std::vector<TestType> y(4);

  norm->forward(x.data(), nullptr, &scale, &shift, y.data(), true);

  const double deviation = std::sqrt(3.5);
  CHECK(y[0] == Approx(1.0 - 4.0 / deviation));
  CHECK(y[1] == Approx(1.0 - 2.0 / deviation));
  CHECK(y[2] == Approx(1.0));
  CHECK(y[3] == Approx(1.0 + 6.0 / deviation));
}

// Running values after one step with momentum 0.1: mean 0.9*0 + 0.1*3, variance
// 0.9*1 + 0.1 * 3.5*4/3 (unbiased).
TEST_CASE("passes that do not train use the running statistics", "[ops]") {
  Cpu<double> cpu;
  const auto norm = cpu.ops->make_batch_norm({.rows = 4, .channels = 1, .epsilon = 0}, cpu.arena);
  const std::vector<double> x = {1, 2, 3, 6};
  const double scale = 2;
  const double shift = 1;
  std::vector<double> y(4);

  norm->forward(x.data(), nullptr, &scale, &shift, y.data(), false);
  CHECK(y == std::vector<double>{3, 5, 7, 13});
  norm->forward(x.data(), nullptr, &scale, &shift, y.data(), true);
  norm->forward(x.data(), nullptr, &scale, &shift, y.data(), false);
  CHECK(y[3] == Approx(1.0 + 2.0 * (6.0 - 0.3) / std::sqrt(0.9 + 0.1 * 3.5 * 4.0 / 3.0)));
}

// Means 3 and 5 of two ghost batches, of variance 3.5 both: they count as one of 4.
TEST_CASE("ghost batches share one step of the running statistics", "[ops]") {
  Cpu<double> cpu;
  const auto norm =
      cpu.ops->make_batch_norm({.rows = 8, .channels = 1, .groups = 2, .epsilon = 0}, cpu.arena);
  const std::vector<double> x = {1, 2, 3, 6, 3, 4, 5, 8};
  const double scale = 2;
  const double shift = 1;
  std::vector<double> y(8);

  norm->forward(x.data(), nullptr, &scale, &shift, y.data(), true);
  norm->forward(x.data(), nullptr, &scale, &shift, y.data(), false);

  CHECK(y[3] == Approx(1.0 + 2.0 * (6.0 - 0.4) / std::sqrt(0.9 + 0.1 * 3.5 * 4.0 / 3.0)));
}

TEST_CASE("gradients of batch normalisation are central differences", "[ops]") {
  const bool has_relu = GENERATE(false, true);
  const ops::BatchNormShape shape{.rows = 8, .channels = 3, .groups = 2, .has_relu = has_relu};
  Normalised<double> n(shape, true);
  const std::vector<double> dy = numbers<double>(n.x.size(), 5);
  Cpu<double> cpu;
  const auto norm = cpu.ops->make_batch_norm(shape, cpu.arena);
  const auto slope = [&](double& parameter) {
    const double origin = parameter;
    double sides[2] = {};
    for (const int side : {0, 1}) {
      parameter = origin + (side == 0 ? -1e-5 : 1e-5);
      std::vector<double> y(n.x.size());
      norm->forward(n.x.data(), n.residual.data(), n.scale.data(), n.shift.data(), y.data(), true);
      sides[side] = dot(dy, y);
    }
    parameter = origin;
    return (sides[1] - sides[0]) / 2e-5;
  };

  std::vector<double> dx;
  std::vector<double> dresidual;
  std::vector<double> dscale;
  std::vector<double> dshift;
  for (std::size_t i = 0; i < n.x.size(); ++i) {
    dx.push_back(slope(n.x[i]));
    dresidual.push_back(slope(n.residual[i]));
  }
  for (std::size_t c = 0; c < shape.channels; ++c) {
    dscale.push_back(slope(n.scale[c]));
    dshift.push_back(slope(n.shift[c]));
  }

  CHECK(difference(n.dx, dx) <= 1e-6);
  CHECK(difference(n.dy, dresidual) <= 1e-6);
  CHECK(difference(n.dscale, dscale) <= 1e-6);
  CHECK(difference(n.dshift, dshift) <= 1e-6);
}

TEST_CASE("float batch normalisation agrees with double far from the origin", "[ops]") {
  const ops::BatchNormShape shape{.rows = 600, .channels = 37, .groups = 3, .has_relu = true};
  const bool has_residual = GENERATE(false, true);

  const Normalised<float> found(shape, has_residual, 2);
  const Normalised<double> expected(shape, has_residual);

  CHECK(difference(found.y, expected.y) <= 1e-5);
  CHECK(difference(found.dx, expected.dx) <= 1e-5);
  CHECK(difference(found.dscale, expected.dscale) <= 1e-5);
  CHECK(difference(found.dshift, expected.dshift) <= 1e-5);
}

TEST_CASE("each ghost batch is normalised as if it were alone", "[ops]") {
  Cpu<double> cpu;
  const std::vector<double> x = numbers<double>(12, 1);
  const std::vector<double> ones(2, 1.0);
  const std::vector<double> zeros(2, 0.0);
  std::vector<double> ghost(x.size());
  std::vector<double> alone(x.size());

  cpu.ops->make_batch_norm({.rows = 6, .channels = 2, .groups = 2}, cpu.arena)
      ->forward(x.data(), nullptr, ones.data(), zeros.data(), ghost.data(), true);
  for (const std::size_t half : {0, 1}) {
    cpu.ops->make_batch_norm({.rows = 3, .channels = 2}, cpu.arena)
        ->forward(
            x.data() + half * 6, nullptr, ones.data(), zeros.data(), alone.data() + half * 6, true);
  }

  CHECK(difference(ghost, alone) <= 1e-15);
}

// 3 x 3 image of one channel, kernel 2, stride 1: maxima of the four windows; 9 appears in two.
TEMPLATE_TEST_CASE("max-pooling sends gradients to where the maxima came from",
                   "[ops]",
                   float,
                   double) {
  Cpu<TestType> cpu;
  const auto pooling = cpu.ops->make_max_pooling({1, 3, 3, 1, 2, 1, 0}, cpu.arena);
  const std::vector<TestType> x = {1, 7, 2, 3, 9, 9, 4, 4, 1};
  const std::vector<TestType> dy = {1, 10, 100, 1000};
  std::vector<TestType> y(4);
  std::vector<TestType> dx(9, TestType{99});

  pooling->forward(x.data(), y.data());
  pooling->backward(dy.data(), dx.data());

  CHECK(y == std::vector<TestType>{9, 9, 9, 9});
  CHECK(dx == std::vector<TestType>{0, 0, 0, 0, 1111, 0, 0, 0, 0});
}

TEMPLATE_TEST_CASE("the maximum over a NaN is a NaN, wherever in the window it lies",
                   "[ops]",
                   float,
                   double) {
  Cpu<TestType> cpu;
  const auto pooling = cpu.ops->make_max_pooling({1, 2, 2, 1, 2, 2, 0}, cpu.arena);
  const std::size_t place = GENERATE(0U, 1U, 3U);
  std::vector<TestType> x = {1, 2, 3, 4};
  x[place] = std::numeric_limits<TestType>::quiet_NaN();
  const TestType dy = 5;
  TestType y = 0;
  std::vector<TestType> dx(4);

  pooling->forward(x.data(), &y);
  pooling->backward(&dy, dx.data());

  CHECK(std::isnan(y));
  CHECK(dx[place] == dy);
}

// Two channels side by side; padding never wins against negative values.
TEST_CASE("padding counts as minus infinity and channels stay apart", "[ops]") {
  Cpu<double> cpu;
  const auto pooling = cpu.ops->make_max_pooling({1, 2, 2, 2, 3, 2, 1}, cpu.arena);
  const std::vector<double> x = {-1, -8, -2, -7, -3, -6, -4, -5};
  std::vector<double> y(2);

  pooling->forward(x.data(), y.data());

  CHECK(y == std::vector<double>{-1, -5});
}

// Two images of two positions and two channels.
TEMPLATE_TEST_CASE("the average over positions spreads its gradient evenly",
                   "[ops]",
                   float,
                   double) {
  Cpu<TestType> cpu;
  const std::vector<TestType> x = {1, 2, 3, 4, 5, 6, 7, 10};
  std::vector<TestType> y(4);
  std::vector<TestType> dx(8);

  cpu.ops->average_positions(x.data(), 2, {y.data(), 2, 2});
  CHECK(y == std::vector<TestType>{2, 3, 6, 8});
  cpu.ops->spread_positions({y.data(), 2, 2}, 2, dx.data());
  CHECK(dx == std::vector<TestType>{1, 1.5, 1, 1.5, 3, 4, 3, 4});
}
