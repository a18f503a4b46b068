// A NaN passes through every operation of the CPU, so that the loss of a diverged model shows it.
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/cpu_ops.h"
#include "workloads/ops/ops.h"

using namespace scalestudy;
using test::Cpu;

namespace {

template <typename T>
const T kNan = T(std::numeric_limits<float>::quiet_NaN());

template <typename T>
bool is_nan(T value) {
  return std::isnan(static_cast<device::Real<T>>(value));
}

template <typename T>
bool are_nan(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), is_nan<T>);
}

}  // namespace

TEMPLATE_TEST_CASE("a ReLU keeps a NaN, and the gradient of one",
                   "[ops]",
                   float,
                   double,
                   device::Bf16,
                   device::Half) {
  const auto cpu = ops::make_cpu_ops<TestType>(1);
  const auto function = ops::make_relu_dropout<TestType>(0.0);
  std::vector<TestType> y = {TestType(-1.0F), kNan<TestType>, TestType(2.0F)};
  std::vector<TestType> dy = {TestType(3.0F), kNan<TestType>, TestType(4.0F)};
  std::vector<TestType> sums(3);

  cpu->relu_dropout_forward({y.data(), 1, 3}, function, {});
  cpu->relu_dropout_backward({dy.data(), 1, 3}, y.data(), function, sums.data());

  CHECK(y[0] == TestType(0.0F));
  CHECK(is_nan(y[1]));
  CHECK(y[2] == TestType(2.0F));
  CHECK(dy[0] == TestType(0.0F));
  CHECK(is_nan(dy[1]));
  CHECK(is_nan(sums[1]));
  CHECK(dy[2] == TestType(4.0F));
}

TEMPLATE_TEST_CASE("a unit that dropout keeps hands its NaN on", "[ops]", float, double) {
  const auto cpu = ops::make_cpu_ops<TestType>(1);
  std::vector<TestType> y(1000, kNan<TestType>);

  cpu->relu_dropout_forward(
      {y.data(), 1, y.size()}, ops::make_relu_dropout<TestType>(0.25), {3, 5, 1, 0});

  // Five standard deviations of 1000 draws are 0.068.
  const auto kept = std::count_if(y.begin(), y.end(), is_nan<TestType>);
  CHECK(static_cast<double>(kept) / 1000.0 == Approx(0.75).margin(0.068));
}

TEMPLATE_TEST_CASE("batch normalisation with a ReLU spreads a NaN over its channel and back",
                   "[ops]",
                   float,
                   double) {
  Cpu<TestType> cpu;
  const auto norm =
      cpu.ops->make_batch_norm({.rows = 3, .channels = 1, .has_relu = true}, cpu.arena);
  std::vector<TestType> x = {1, 2, 3};
  x[GENERATE(0U, 1U, 2U)] = kNan<TestType>;
  const TestType scale = 1;
  const TestType shift = 0;
  std::vector<TestType> y(3);
  std::vector<TestType> dy = {1, 1, 1};
  std::vector<TestType> dx(3);
  TestType dscale = 0;
  TestType dshift = 0;

  norm->forward(x.data(), nullptr, &scale, &shift, y.data(), true);
  norm->backward(x.data(), y.data(), &scale, dy.data(), &dscale, &dshift, dx.data());

  CHECK(are_nan(y));
  CHECK(are_nan(dx));
  CHECK(dshift == 3);  // the units are not taken for ones that are off
}

// The sum of these overflows: its mean is infinite and its variance infinity less infinity.
TEST_CASE("batch normalisation of what overflows is no number, and not a ReLU that is off",
          "[ops]") {
  Cpu<float> cpu;
  const auto norm =
      cpu.ops->make_batch_norm({.rows = 2, .channels = 1, .has_relu = true}, cpu.arena);
  const std::vector<float> x = {-3e38F, 3e38F};
  const float scale = 1e-3F;
  const float shift = 0.0F;
  std::vector<float> y(2);

  norm->forward(x.data(), nullptr, &scale, &shift, y.data(), true);

  CHECK(are_nan(y));
}

TEMPLATE_TEST_CASE(
    "a loss is NaN wherever its logits are", "[ops]", float, double, device::Bf16, device::Half) {
  const auto cpu = ops::make_cpu_ops<TestType>(1);
  std::vector<TestType> logits(37, TestType(1.0F));
  logits[GENERATE(0U, 1U, 36U)] = kNan<TestType>;
  const std::vector<TestType> target(37, TestType(0.0F));
  std::vector<TestType> output = logits;
  const std::int32_t label = 1;
  double cross_entropy = 0.0;
  double squared = 0.0;

  cpu->softmax_cross_entropy({logits.data(), 1, 37}, {&label, 37}, 1.0, &cross_entropy);
  cpu->mean_squared_error({output.data(), 1, 37}, target.data(), 1.0, &squared);

  CHECK(std::isnan(cross_entropy));
  CHECK(are_nan(logits));
  CHECK(std::isnan(squared));
}

// One head of two elements: the second token's query meets both keys.
TEMPLATE_TEST_CASE("attention hands on a NaN of any query, key or value it sees",
                   "[ops]",
                   float,
                   double) {
  Cpu<TestType> cpu;
  const auto attention = cpu.ops->make_attention(
      {.batch = 1, .tokens = 2, .heads = 1, .head_width = 2, .has_rotary = false}, cpu.arena);
  std::vector<TestType> qkv(12, TestType(0.5F));
  const std::size_t place = GENERATE(2U, 4U, 6U, 8U, 10U);
  qkv[place] = kNan<TestType>;
  std::vector<TestType> y(4);

  attention->forward(qkv.data(), y.data());

  CHECK(is_nan(y[2]));
}

TEST_CASE("clipping to a norm that is NaN leaves no parameter a number", "[ops]") {
  const auto cpu = ops::make_cpu_ops<float>(1);
  std::vector<float> values = {1.0F, 2.0F};
  const std::vector<float> gradients = {kNan<float>, 0.5F};
  std::vector<float> velocity(2);
  double squares = 0.0;

  cpu->add_squares(gradients, &squares);
  cpu->update(ops::Sgd<float>{0.1F, 0.0F, 0.0F},
              {.values = values, .gradients = gradients.data(), .factor = {nullptr, &squares, 1.0}},
              velocity.data());

  CHECK(are_nan(values));
}
