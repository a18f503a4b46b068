// A quick look at how often intervals and words of whole studies are right; tests/bench/coverage.cc
// is the full one. Bounds leave three standard errors of these few replicates.
#include "tests/analysis/simulation/studies.h"
#include "tests/support/catch.h"

using namespace scalestudy::test;

TEST_CASE("five values a factor of two apart interpolate what they cover", "[analysis]") {
  const LadderTally tally = run_ladders({.curve = Curve::kRealistic, .trials = 10}, 500, 1);

  CHECK(tally.interval.share() > 0.92);
  CHECK(tally.bracket.share() > 0.98);
  CHECK(tally.printed.share() > 0.3);
  // Fewer, or wider ones, print none.
  CHECK(run_ladders({.values = 4}, 50, 2).printed.hits == 0);
  CHECK(run_ladders({.factor = 2.5}, 50, 3).printed.hits == 0);
}

TEST_CASE("a wrong law is seen whatever blocks add", "[analysis]") {
  CHECK(run_blocked_laws(true, 0.0, 200, 4).kept.share() < 0.15);
  CHECK(run_blocked_laws(true, 0.05, 200, 4).kept.share() < 0.15);
  const auto right = run_blocked_laws(false, 0.05, 300, 5);
  CHECK(right.kept.share() > 0.91);
  CHECK(right.serial.share() > 0.91);
}

// The t interval of pooled residuals of logarithms covers 83.8 (two counts, 40 trials) and 74.0 %.
TEST_CASE("a serial fraction lies in its interval where one cell spreads ten times as much",
          "[analysis]") {
  for (const bool in_blocks : {true, false}) {
    CHECK(run_unequal_laws({{1, 2}, 40, in_blocks}, 1000, 7).serial.share() > 0.925);
    CHECK(run_unequal_laws({{1, 2, 4, 8}, 10, in_blocks}, 1000, 8).serial.share() > 0.925);
  }
}

TEST_CASE("clean studies are flagged in one of twenty at most", "[analysis]") {
  for (const bool in_blocks : {true, false}) {
    const WordTally tally = run_words(
        {.trials = 10, .trial_sd = 0.03, .block_sd = 0.0, .in_blocks = in_blocks}, 300, 6);

    CHECK(tally.rare_slow_trials.share() < 0.09);
    CHECK(tally.drift.share() < 0.09);
    CHECK(tally.warm_up.share() < 0.09);
    CHECK(tally.superlinear.share() < 0.09);
    CHECK(tally.control_failed.share() < 0.09);
    // What the rule marks is no alarm, and no interval without it would hold.
    CHECK(tally.marked.share() > 0.2);
    CHECK(tally.unflagged_interval.share() < 0.93);
  }
}

TEST_CASE("trials in a row under drift are warned of, and their interval does miss", "[analysis]") {
  const BatchOrderTally drifting = run_batch_order(0.05, 200, 7);

  CHECK(drifting.covered.share() < 0.3);
  CHECK(drifting.warned.share() == 1.0);
  CHECK(drifting.drifted.share() > 0.6);
  CHECK(run_batch_order(0.0, 200, 8).covered.share() > 0.9);
}

TEST_CASE("looking four times is wrong more often than it says, and says so", "[analysis]") {
  const LookTally tally = run_looks(4, 400, 9);

  CHECK(tally.first.share() < 0.09);
  CHECK(tally.any.share() > 0.08);
  CHECK(tally.warned.share() == 1.0);
}

TEST_CASE("a run that ends with its verdicts errs no more often than one that does not look",
          "[analysis]") {
  const VerdictRunTally equal =
      run_for_verdicts({.speedups = std::vector<double>(7, 1.0), .trial_sd = 0.10}, 400, 12);
  const VerdictRunTally plain = run_for_verdicts({.speedups = {1.2, 1.2, 1.2}}, 100, 13);

  CHECK(equal.any_false.share() < 0.08);  // 5 % and three standard errors
  CHECK(equal.covered.share() > 0.94);
  CHECK(plain.decided.share() == 1.0);
  CHECK(plain.trials == std::vector<double>(100, 4.0 * 8));  // the first look decides all
}

TEST_CASE("the tails that are shown cover", "[analysis]") {
  CHECK(run_shown_tails(scalestudy::test::Scenario::kNoTrialEffect, 0.95, 5, 400, 10).share() >
        0.90);
  CHECK(run_shown_tails(scalestudy::test::Scenario::kTrial1, 0.95, 5, 400, 11).share() > 0.91);
}
