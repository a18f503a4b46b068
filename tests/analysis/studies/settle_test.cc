// How many more blocks would settle what a study leaves open.
#include "harness/analysis/studies/settle.h"

#include <cmath>

#include "harness/analysis/compare/comparisons.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;
using test::make_cell;
using test::observe_cell;

namespace {

// Blocks for a true difference of so many standard deviations, equivalence being out of reach.
std::optional<std::int64_t> blocks_for(double effect, double alpha = 0.05) {
  return blocks_that_decide(
      {.log_ratio = effect, .log_sd = 1.0, .log_margin = 1e-9, .alpha = alpha}, 2, 1000);
}

// Two devices beside one, with five blocks each whose differences vary.
StudyObservation open_study() {
  StudyObservation observation =
      test::make_observation({observe_cell(make_cell(1, 1, 8), {1.00, 1.06, 0.97, 1.03, 0.94}),
                              observe_cell(make_cell(2, 2, 8), {0.93, 0.98, 0.98, 0.91, 0.96})},
                             Scaling::kStrong);
  for (CellObservation& cell : observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.row.wall_s = 30.0;
    }
  }
  return observation;
}

Study five_trials() {
  Study study;
  study.name = "demo";
  study.trials.count = 5;
  study.analysis.margin = 0.001;
  return study;
}

std::optional<Settling> settling_of(const StudyObservation& observation,
                                    const Study& study,
                                    double budget_s = INFINITY) {
  return what_settles(observation, study, compare_cells(observation, study), budget_s);
}

}  // namespace

// R, power.t.test(delta = d, sd = 1, power = 0.8, type = "paired"): n = 33.37, 14.30, 198.15. The
// shifted t that is used here gives the same whole numbers.
TEST_CASE("as many blocks settle a difference as a paired t test needs", "[analysis]") {
  CHECK(blocks_for(0.5) == 34);
  CHECK(blocks_for(-0.5) == 34);
  CHECK(blocks_for(0.8) == 15);
  CHECK(blocks_for(0.2) == 199);
  CHECK(blocks_for(0.5, 0.05 / 4.0) > blocks_for(0.5));
  CHECK_FALSE(blocks_for(0.01).has_value());
}

// P(T < d sqrt(20) - 2.093) with 19 degrees of freedom, by Simpson's rule in Python 3.11.
TEST_CASE("the chance to decide is the power of a paired t test", "[analysis]") {
  const auto chance_of = [](double effect) {
    return chance_to_decide({.log_ratio = effect, .log_sd = 1.0, .log_margin = 1e-9, .alpha = 0.05},
                            20);
  };
  CHECK(chance_of(0.5) == Approx(0.5561).margin(1e-3));
  CHECK(chance_of(0.4) == Approx(0.3822).margin(1e-3));
}

TEST_CASE("no difference is settled, too, where it is surely within the margin", "[analysis]") {
  const auto blocks = blocks_that_decide(
      {.log_ratio = 0.0, .log_sd = 0.02, .log_margin = std::log1p(0.02), .alpha = 0.05}, 2, 100);
  // Two one-sided tests at 5 %, each with a power of 0.9: n = (t95 + t90)^2 with ten degrees of
  // freedom or so, (1.81 + 1.37)^2 = 10.1.
  REQUIRE(blocks.has_value());
  CHECK(*blocks >= 10);
  CHECK(*blocks <= 12);
}

TEST_CASE("an open comparison says how many blocks and how much time would settle it",
          "[analysis]") {
  const StudyObservation observation = open_study();
  const Study study = five_trials();
  const std::optional<Settling> settling = settling_of(observation, study);

  REQUIRE(settling.has_value());
  CHECK(settling->settled == std::vector<std::string>{"2 devices, batch 8"});
  CHECK(settling->more_blocks > 0);
  CHECK(settling->more_blocks <= 15);  // four times as many trials in all
  CHECK(settling->count == 5 + settling->more_blocks);
  CHECK(settling->time_s == Approx(60.0 * static_cast<double>(settling->more_blocks)));
  const auto notes = settling_threats(observation, study, compare_cells(observation, study));
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].kind == ThreatKind::kUndecided);
  CHECK(notes[0].severity == Severity::kNote);
  CHECK_THAT(
      notes[0].finding,
      Contains("would probably settle 1 open comparison (2 devices, batch 8).") &&
          Contains("scalestudy run demo --set trials.count=" + std::to_string(settling->count)));
}

// Differences of blocks over their means: mean 0.008738, sd 0.015950, so that 20 blocks settle the
// sign with a probability of 0.637 (t of 19 degrees of freedom below 0.548 sqrt(20) - 2.093).
TEST_CASE("a chance between a half and four fifths is not called improbable", "[analysis]") {
  const StudyObservation observation = test::make_observation(
      {observe_cell(make_cell(1, 1, 8), {1.02, 0.99, 0.98, 1.01, 1.00}),
       observe_cell(make_cell(2, 2, 8), {0.991126, 0.971387, 0.971474, 1.011213, 1.0113})},
      Scaling::kStrong);

  CHECK(settling_sentence(settling_of(observation, five_trials()).value()) ==
        "1 comparison (2 devices, batch 8) is open. 4 times as many trials would settle it with a "
        "chance of 50 to 80 %.");
}

// ln(1.00/0.952) = 0.0492 with an error of 0.0589/sqrt(n): 13 trials a side have a power of 0.8.
TEST_CASE("imported trials are told how many more would settle what is open", "[analysis]") {
  StudyObservation observation = open_study();
  observation.imported = Imported{.trials = 10, .has_blocks = false, .has_order = false};
  for (CellObservation& cell : observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.row.wall_s.reset();
    }
  }
  Study study = five_trials();
  study.order.design = OrderDesign::kUnknown;

  CHECK(settling_lines(settling_of(observation, study).value(), "scalestudy run demo") ==
        std::vector<std::string>{
            "8 more runs of each cell would probably settle 1 open comparison (2 devices, batch "
            "8)."});
}

TEST_CASE("a budget bounds the blocks that are recommended", "[analysis]") {
  const auto all = settling_of(open_study(), five_trials()).value();
  const auto none = settling_of(open_study(), five_trials(), 59.0).value();  // not one block
  CHECK(none.more_blocks == 0);
  CHECK(none.beyond == std::vector<std::string>{"2 devices, batch 8"});
  CHECK_THAT(settling_sentence(none), Contains("The blocks that fit into the budget"));
  const auto enough = settling_of(open_study(), five_trials(), all.time_s).value();
  CHECK(enough.more_blocks == all.more_blocks);
}

TEST_CASE("nothing is recommended before the planned end, nor where a study decides by itself",
          "[analysis]") {
  StudyObservation waiting = open_study();
  waiting.cells[0].waiting = 1;
  CHECK_FALSE(settling_of(waiting, five_trials()).has_value());
  Study until = five_trials();
  until.trials.until = 0.02;
  CHECK_FALSE(settling_of(open_study(), until).has_value());
  Study verdicts = five_trials();
  verdicts.trials.min = 5;
  verdicts.trials.is_for_verdicts = true;
  CHECK_FALSE(settling_of(open_study(), verdicts).has_value());

  const StudyObservation decided =
      test::make_observation({observe_cell(make_cell(1, 1, 8), {1.00, 1.01, 0.99, 1.00, 1.01}),
                              observe_cell(make_cell(2, 2, 8), {0.50, 0.51, 0.50, 0.49, 0.50})},
                             Scaling::kStrong);
  CHECK_FALSE(settling_of(decided, five_trials()).has_value());
}

TEST_CASE("more blocks are no remedy where sessions are the unit", "[analysis]") {
  StudyObservation nights = open_study();
  for (CellObservation& cell : nights.cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.row.session_id = trial.row.block + 1;
    }
  }
  const ComparisonRow speedup = compare_cells(nights, five_trials()).at(0);
  CHECK(speedup.method == RatioMethod::kSessions);
  CHECK(speedup.verdict == Verdict::kNoDetectableDifference);
  Study one_trial = five_trials();
  one_trial.trials.count = 1;  // as the file says; each run set another
  for (const Study& study : {five_trials(), one_trial}) {
    const Settling settling = settling_of(nights, study).value();
    CHECK(settling.more_blocks == 0);
    CHECK(
        settling_lines(settling, "scalestudy run demo") ==
        std::vector<std::string>{
            "1 open comparison (2 devices, batch 8) needs more sessions; more blocks in one "
            "session do not help. Each further run that adds a block is one. The next: scalestudy "
            "run demo --set trials.count=6"});
  }
}

TEST_CASE("blocks are recommended first where only some comparisons are between sessions",
          "[analysis]") {
  StudyObservation both = open_study();
  std::vector<ComparisonRow> comparisons = compare_cells(both, five_trials());
  both.cells.push_back(observe_cell(make_cell(3, 4, 8), {}));
  ComparisonRow nightly = comparisons.at(0);
  nightly.cell_id = 3;
  nightly.method = RatioMethod::kSessions;
  comparisons.insert(comparisons.begin(), nightly);

  const Settling settling = what_settles(both, five_trials(), comparisons).value();
  const auto notes = settling_threats(both, five_trials(), comparisons);

  CHECK(settling.more_blocks > 0);
  REQUIRE(notes.size() == 2);
  CHECK_THAT(
      notes[0].finding,
      Contains(
          "would probably settle 1 open comparison (2 devices, batch 8). To run them (a second "
          "look, as the report will say): ") &&
          Catch::EndsWith(" --set trials.count=" + std::to_string(settling.count)));
  CHECK_THAT(notes[1].finding,
             Catch::StartsWith("1 open comparison (4 devices, batch 8) needs more sessions;") &&
                 Catch::EndsWith(" --set trials.count=" + std::to_string(settling.count + 1)));
}
