#include "workloads/rank/phases.h"

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy::rank;

namespace {

using Random = std::mt19937_64;

// In (0, 1): the standard library's distributions differ between implementations.
double uniform(Random& random) {
  return (static_cast<double>(random() >> 11U) + 0.5) * 0x1p-53;
}

double normal(Random& random) {
  return std::sqrt(-2.0 * std::log(uniform(random))) *
         std::cos(2.0 * 3.14159265358979324 * uniform(random));
}

// A clean trial's step times around 1 ms.
struct Noise {
  double cv = 0.0;
  double correlation = 0.0;  // of neighbouring steps
  double slow_share = 0.0;   // of steps that take
  double slow_factor = 1.0;  // as many times as long
};

class Steps {
 public:
  Steps(const Noise& noise, Random& random) : noise_(noise), random_(random) {}

  double next() {
    state_ = noise_.correlation * state_ +
             std::sqrt(1.0 - noise_.correlation * noise_.correlation) * normal(random_);
    const double slow = uniform(random_) < noise_.slow_share ? noise_.slow_factor : 1.0;
    return 1e-3 * std::exp(noise_.cv * state_) * slow;
  }

 private:
  Noise noise_;
  Random& random_;
  double state_ = 0.0;
};

// trend  factor of a step by its number.
PhaseLengths warm_up(const Floors& floors,
                     const Noise& noise,
                     Random& random,
                     const std::function<double(std::size_t)>& trend) {
  Steps steps(noise, random);
  WarmUp phase(floors);
  std::vector<double> times_s;
  do {
    while (times_s.size() < phase.next_border()) {
      times_s.push_back(steps.next() * trend(times_s.size()));
    }
  } while (!phase.judge(times_s.size(), times_s));
  return phase.lengths();
}

double unsteady_share(const Floors& floors,
                      const Noise& noise,
                      const std::function<double(std::size_t)>& trend) {
  constexpr int trials = 2000;
  Random random(42);
  int unsteady = 0;
  for (int i = 0; i < trials; ++i) {
    unsteady += warm_up(floors, noise, random, trend).is_steady == false ? 1 : 0;
  }
  return static_cast<double>(unsteady) / trials;
}

double flat(std::size_t /*step*/) {
  return 1.0;
}

const std::vector<Floors> kFloors = {
    {10, 100, 0.004, 0.0}, {10, 100, 0.05, 0.0}, {10, 100, 0.3, 0.0}};

}  // namespace

TEST_CASE("without floors in time the phases have the steps asked for", "[train]") {
  WarmUp phase({.warmup_steps = 3, .measured_steps = 7});

  CHECK(phase.next_border() == 3);
  CHECK(phase.judge(3, std::vector<double>{9.0, 1.0, 5.0}));
  CHECK(phase.lengths().warmup == 3);
  CHECK(phase.lengths().measured == 7);
  CHECK(phase.lengths().facts({.warmup_steps = 3, .measured_steps = 7}).empty());
}

TEST_CASE("a warm-up lasts as long as its floors, and the window's steps are fixed by it",
          "[train]") {
  WarmUp phase(
      {.warmup_steps = 10, .measured_steps = 5, .warmup_time_s = 0.1, .measured_time_s = 0.2505});
  const std::vector<double> steps(200, 0.001);
  std::size_t done = phase.next_border();
  CHECK(done == 10);
  while (!phase.judge(done, std::span(steps).first(done))) {
    CHECK(phase.next_border() > done);
    done = phase.next_border();
  }

  CHECK(done >= 100);
  CHECK(done <= 112);
  CHECK(phase.lengths().is_steady == true);
  CHECK(phase.lengths().warmup_time_s == Approx(0.001 * static_cast<double>(done)));
  CHECK(phase.lengths().measured == 251);
}

// Every third step takes five times as long; of a block of ten steps three or four do.
TEST_CASE("phases are whole turns, and a turn's slow step is no change", "[train]") {
  const Floors floors{.warmup_steps = 9,
                      .measured_steps = 3,
                      .warmup_time_s = 0.5,
                      .measured_time_s = 0.1,
                      .turn_steps = 3};
  Random random(1);
  const PhaseLengths lengths = warm_up(
      floors, {.cv = 0.001}, random, [](std::size_t step) { return step % 3 == 2 ? 5.0 : 1.0; });

  CHECK(lengths.is_steady == true);
  CHECK(lengths.warmup % 3 == 0);
  CHECK(lengths.warmup_time_s < 0.75);  // no more than an eighth beyond its floor
  // Turns of 7 ms: 15 of them are 0.1 s.
  CHECK(lengths.measured == 45);
  CHECK(floors.most_warmup_steps() == 9999);
  CHECK(floors.most_measured_steps() == 9999);
}

TEST_CASE("both phases are capped", "[train]") {
  const Floors floors{
      .warmup_steps = 10, .measured_steps = 5, .warmup_time_s = 0.05, .measured_time_s = 3600.0};
  Random random(1);

  // Ever slower steps.
  const PhaseLengths lengths = warm_up(floors, {}, random, [](std::size_t step) {
    return std::exp(0.05 * static_cast<double>(step));
  });
  CHECK(lengths.is_steady == false);
  CHECK(lengths.warmup_time_s >= 0.2);  // four times the floor
  CHECK(lengths.warmup <= kMostSteps);
  CHECK(lengths.measured == kMostSteps);
  CHECK(lengths.facts(floors).at("is_steady") == 0.0);

  const Floors long_steps{.warmup_steps = 10, .measured_steps = 20'000, .warmup_time_s = 1e6};
  CHECK(warm_up(long_steps, {}, random, flat).warmup == kMostSteps);
  CHECK(long_steps.most_measured_steps() == 20'000);
}

TEST_CASE("steps too short for the clock are measured as often as was asked", "[train]") {
  std::vector<double> times_s(20, 0.0);
  times_s.front() = 0.5;
  WarmUp warm_up_alone({.warmup_steps = 20, .measured_steps = 7, .warmup_time_s = 0.1});
  WarmUp both(
      {.warmup_steps = 20, .measured_steps = 7, .warmup_time_s = 0.1, .measured_time_s = 0.1});

  CHECK(warm_up_alone.judge(20, times_s));
  CHECK(warm_up_alone.lengths().measured == 7);
  CHECK(both.judge(20, times_s));
  CHECK(both.lengths().measured == kMostSteps);
}

// 3 steps of 5 s are 15 s: nobody waits for 60 of them, and so few say nothing.
TEST_CASE("slow steps are not repeated for the sake of a verdict", "[train]") {
  WarmUp phase(
      {.warmup_steps = 3, .measured_steps = 5, .warmup_time_s = 0.2, .measured_time_s = 0.3});

  CHECK(phase.judge(3, std::vector<double>(3, 5.0)));
  CHECK(phase.lengths().warmup == 3);
  CHECK(phase.lengths().measured == 5);
  CHECK_FALSE(phase.lengths().is_steady.has_value());
}

TEST_CASE("few steps are not steady, and NaN is not", "[train]") {
  CHECK_FALSE(is_steady(std::vector<double>(kLeastToJudge - 1, 1.0)));
  CHECK(is_steady(std::vector<double>(kLeastToJudge, 1.0)));
  CHECK_FALSE(is_steady(std::vector<double>(kLeastToJudge, std::nan(""))));
}

// Clean trials: steps as noisy as those of small models on a machine with two cores, correlated,
// with interrupted steps, and of two kinds.
TEST_CASE("at most 5 % of clean trials are marked", "[train]") {
  const std::vector<Noise> noises = {{.cv = 0.002},
                                     {.cv = 0.01},
                                     {.cv = 0.05},
                                     {.cv = 0.2},
                                     {.cv = 0.05, .correlation = 0.5},
                                     {.cv = 0.05, .correlation = 0.8},
                                     {.cv = 0.03, .slow_share = 0.05, .slow_factor = 5.0},
                                     {.cv = 0.01, .slow_share = 0.3, .slow_factor = 1.3},
                                     {.cv = 0.05, .slow_share = 0.5, .slow_factor = 1.5}};
  for (const Floors& floors : kFloors) {
    for (const Noise& noise : noises) {
      CAPTURE(floors.warmup_time_s, noise.cv, noise.correlation, noise.slow_share);
      const double share = unsteady_share(floors, noise, flat);
      CAPTURE(share);
      // 2,000 trials at 5 %: a standard error of 0.5 %.
      CHECK(share <= 0.05);
    }
  }
}

// Clocks that ramp for longer than the warm-up may last: by half, over twice its cap.
TEST_CASE("at least 95 % of trials that do not settle are marked", "[train]") {
  for (const Floors& floors : kFloors) {
    const double cap = std::max(60.0, 4.0 * floors.warmup_time_s / 1e-3);
    for (const double cv : {0.002, 0.01, 0.02}) {
      CAPTURE(floors.warmup_time_s, cv);
      const double share = unsteady_share(floors, {.cv = cv}, [cap](std::size_t step) {
        return std::exp2(-static_cast<double>(step) / cap);
      });
      CAPTURE(share);
      CHECK(share >= 0.95);
    }
  }
}

// Twice as long at first, settling with a time constant of 30 steps: 5 steps of warm-up are 0.85
// left over.
TEST_CASE("a warm-up goes on until steps have settled", "[train]") {
  const Floors floors{.warmup_steps = 5, .measured_steps = 100, .warmup_time_s = 0.06};
  Random random(7);
  double worst = 0.0;
  int unsteady = 0;
  for (int i = 0; i < 500; ++i) {
    const PhaseLengths lengths = warm_up(floors, {.cv = 0.01}, random, [](std::size_t step) {
      return 1.0 + std::exp(-static_cast<double>(step) / 30.0);
    });
    unsteady += lengths.is_steady == true ? 0 : 1;
    worst = std::max(worst, std::exp(-static_cast<double>(lengths.warmup) / 30.0));
  }
  CHECK(worst < 0.05);
  CHECK(unsteady <= 5);  // of 500
}
