#include <limits>
#include <vector>

#include "tests/support/catch.h"
#include "workloads/ops/ops.h"

using namespace scalestudy;
using device::Half;
using ops::LossScale;

TEST_CASE("the scale halves at once after an overflow and doubles after 2000 good steps", "[ops]") {
  LossScale scale;
  scale.advance();  // a good step, which the overflow takes back
  scale.has_overflowed = 1;

  scale.advance();
  CHECK(scale.scale == 32768.0F);
  CHECK(scale.has_overflowed == 0);
  for (int step = 0; step < 1999; ++step) {
    scale.advance();
  }
  CHECK(scale.scale == 32768.0F);
  scale.advance();
  CHECK(scale.scale == 65536.0F);
  CHECK(scale.good_steps == 0);
}

// Softmax of equal logits is 1/2; the gradient 1e-7 / 2 is below fp16's smallest number by itself.
TEST_CASE("the scale keeps a gradient that fp16 could not hold", "[ops]") {
  const auto cpu = ops::make_cpu_ops<Half>(1);
  const std::int32_t label = 0;
  const LossScale scale;
  double loss = 0.0;
  std::vector<Half> plain = {0.0F, 0.0F};
  std::vector<Half> scaled = plain;

  cpu->softmax_cross_entropy({plain.data(), 1, 2}, {&label, 2}, 1e-8, &loss);
  cpu->softmax_cross_entropy({scaled.data(), 1, 2}, {&label, 2}, 1e-8, &loss, &scale);

  CHECK(float(plain[1]) == 0.0F);
  CHECK(float(scaled[1]) == Approx(0.5e-8 * 65536.0).epsilon(1e-3));
  CHECK(loss == Approx(2e-8 * std::log(2.0)));  // the loss itself is not scaled
}

TEST_CASE("an update divides the scale out again and rounds from the master value", "[ops]") {
  const auto cpu = ops::make_cpu_ops<Half>(1);
  const LossScale scale{.scale = 8.0F};
  std::vector<float> master = {1.0F};
  std::vector<Half> rounded = {1.0F};
  const Half gradient(8.0F * 0.25F);
  std::vector<float> velocity = {0.0F};

  cpu->update(ops::Sgd<float>{0.0001F, 0.0F, 0.0F},
              {master, &gradient, rounded.data(), &scale},
              velocity.data());

  CHECK(master[0] == 1.0F - 0.0001F * 0.25F);
  CHECK(float(rounded[0]) == 1.0F);  // the step is below fp16's resolution, the master keeps it
}

TEST_CASE("a step with a gradient that is not finite changes nothing but the scale", "[ops]") {
  const auto cpu = ops::make_cpu_ops<Half>(1);
  const float bad =
      GENERATE(std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN());
  LossScale scale;
  std::vector<float> master = {1.0F, 2.0F};
  std::vector<Half> rounded = {1.0F, 2.0F};
  const std::vector<Half> gradients = {0.5F, bad};
  std::vector<float> velocity = {0.0F, 0.0F};

  cpu->find_overflow(gradients, &scale);
  cpu->update(ops::Sgd<float>{0.1F, 0.9F, 0.0F},
              {master, gradients.data(), rounded.data(), &scale},
              velocity.data());
  cpu->advance(&scale);

  CHECK(master == std::vector<float>{1.0F, 2.0F});
  CHECK(velocity == std::vector<float>{0.0F, 0.0F});
  CHECK(scale.scale == 32768.0F);
  CHECK(scale.has_overflowed == 0);
}

// The first update of AdamW moves by the learning rate, in the direction of the gradient.
TEST_CASE("adamw counts the updates it made, not the steps that overflowed", "[ops]") {
  const auto cpu = ops::make_cpu_ops<Half>(1);
  LossScale scale{.scale = 1.0F};
  std::vector<float> master = {1.0F};
  std::vector<Half> rounded = {1.0F};
  std::vector<float> m = {0.0F};
  std::vector<float> v = {0.0F};
  const auto step = [&](Half gradient) {
    const ops::AdamW<float> rule{0.125F, 0.9F, 0.999F, 1e-8F, 0.0F, 1.0F, 1.0F};
    cpu->find_overflow(std::span(&gradient, 1), &scale);
    cpu->update(rule, {master, &gradient, rounded.data(), &scale}, m.data(), v.data());
    cpu->advance(&scale);
    scale.scale = 1.0F;
  };

  step(std::numeric_limits<float>::infinity());
  CHECK(master[0] == 1.0F);
  step(0.5F);
  CHECK(master[0] == Approx(1.0 - 0.125).epsilon(1e-5));
  step(0.5F);
  CHECK(master[0] == Approx(1.0 - 2 * 0.125).epsilon(1e-5));
  CHECK(scale.updates == 2);
}

// The largest fp16 numbers: their squares are finite in double.
TEST_CASE("a sum of squares overflows where a gradient has", "[ops]") {
  const auto cpu = ops::make_cpu_ops<Half>(1);
  const auto [gradient, has_overflowed] =
      GENERATE(table<float, std::int32_t>({{65504.0F, 0},
                                           {-std::numeric_limits<float>::infinity(), 1},
                                           {std::numeric_limits<float>::quiet_NaN(), 1}}));
  const std::vector<Half> gradients = {65504.0F, gradient, 1.0F};
  LossScale scale;
  double sum = 0.0;

  cpu->add_squares(gradients, &sum);
  cpu->find_overflow(&sum, &scale);

  CHECK(scale.has_overflowed == has_overflowed);
}

TEST_CASE("gradients that are all finite overflow nothing", "[ops]") {
  const auto cpu = ops::make_cpu_ops<Half>(1);
  LossScale scale{.has_overflowed = 1};
  const std::vector<Half> gradients = {65504.0F, -65504.0F};

  cpu->find_overflow(gradients, &scale);

  CHECK(scale.has_overflowed == 0);
}
