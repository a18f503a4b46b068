#include "workloads/train/options/learning_rate.h"

#include "tests/support/catch.h"

using namespace scalestudy::train;

namespace {

// 4 ranks with a batch of 8 each; an epoch of 10 steps.
Options four_ranks() {
  Options options;
  options.learning_rate = 0.1;
  options.batch_per_device = 8;
  options.batch_global = 32;
  options.train_samples = 320;
  return options;
}

}  // namespace

TEST_CASE("without a schedule the rate is the same at every step", "[train]") {
  const Options options = four_ranks();

  CHECK(learning_rate(options, 0) == 0.1);
  CHECK(learning_rate(options, 12345) == 0.1);
}

// By hand: 0.1 * 4 and 0.1 * 2.
TEST_CASE("several ranks scale the rate by their number or its square root", "[train]") {
  Options options = four_ranks();

  options.rate_scale = RateScale::kLinear;
  CHECK(learning_rate(options, 7) == Approx(0.4).epsilon(1e-15));
  options.rate_scale = RateScale::kRoot;
  CHECK(learning_rate(options, 7) == Approx(0.2).epsilon(1e-15));
  options.batch_per_device = 32;  // one rank
  CHECK(learning_rate(options, 7) == 0.1);
}

// By hand: from 0.1 to 0.4 in five steps of 0.06, the sixth step at 0.4.
TEST_CASE("a gradual warm-up rises by as much in each step", "[train]") {
  Options options = four_ranks();
  options.rate_scale = RateScale::kLinear;
  options.rate_warmup_steps = 5;

  CHECK(learning_rate(options, 0) == 0.1);
  CHECK(learning_rate(options, 1) == Approx(0.16).epsilon(1e-14));
  CHECK(learning_rate(options, 4) == Approx(0.34).epsilon(1e-14));
  CHECK(learning_rate(options, 5) == Approx(0.4).epsilon(1e-14));
  CHECK(learning_rate(options, 6) == Approx(0.4).epsilon(1e-14));
}

TEST_CASE("where nothing is scaled there is nothing to warm up to", "[train]") {
  Options options = four_ranks();
  options.rate_warmup_steps = 5;

  CHECK(learning_rate(options, 0) == 0.1);
  CHECK(learning_rate(options, 3) == 0.1);
}

// By hand: epochs of 10 steps, so that the rate falls at steps 20 and 30.
TEST_CASE("after each milestone the rate is a tenth", "[train]") {
  Options options = four_ranks();
  options.rate_milestones = {2, 3};

  CHECK(learning_rate(options, 19) == 0.1);
  CHECK(learning_rate(options, 20) == Approx(0.01).epsilon(1e-14));
  CHECK(learning_rate(options, 29) == Approx(0.01).epsilon(1e-14));
  CHECK(learning_rate(options, 30) == Approx(0.001).epsilon(1e-14));
}

// By hand: at step 10 the warm-up of 20 is half through, 0.25, and the milestone is past.
TEST_CASE("scale, warm-up and milestones go together", "[train]") {
  Options options = four_ranks();
  options.rate_scale = RateScale::kLinear;
  options.rate_warmup_steps = 20;
  options.rate_milestones = {1};

  CHECK(learning_rate(options, 9) == Approx(0.1 + 0.3 * 9.0 / 20.0).epsilon(1e-14));
  CHECK(learning_rate(options, 10) == Approx(0.025).epsilon(1e-14));
}
