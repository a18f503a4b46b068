// What step times cover, and those that recur.
#include <functional>
#include <map>

#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::has_numbers;

namespace {

// Two cells, of 2 and of 4 devices at batch 60, with two trials of 100 steps of 1 ms each.
struct Covered {
  Covered() {
    for (const std::int64_t devices : {2, 4}) {
      observation.cells.push_back(
          test::observe_cell(test::make_cell(devices, devices, 60), {0.001, 0.001}));
    }
    study.workload = Workload::kCommand;
    study.extract.resize(1);
    study.extract[0].metric = kStepTime;
  }

  void each(const std::function<void(const CellRow&, TrialRow&)>& change) {
    for (CellObservation& cell : observation.cells) {
      for (TrialObservation& trial : cell.trials) {
        change(cell.row, trial.row);
      }
    }
  }

  std::vector<ThreatRow> threats() const { return step_threats(observation, study); }

  StudyObservation observation;
  Study study;
};

ThreatRow only(const std::vector<ThreatRow>& rows) {
  REQUIRE(rows.size() == 1);
  return rows[0];
}

}  // namespace

TEST_CASE("step times that cover less than a tenth of a trial are told", "[analysis]") {
  Covered covered;
  CHECK(covered.threats().empty());  // not known
  covered.each([](const CellRow&, TrialRow& trial) {
    trial.wall_s = 4.0;
    trial.steps_share = 0.1;
  });
  CHECK(covered.threats().empty());

  covered.observation.cells[1].trials[0].row.steps_share = 0.025;
  const ThreatRow row = only(covered.threats());
  CHECK(row.kind == ThreatKind::kUncoveredTime);
  CHECK(row.severity == Severity::kNote);
  CHECK(has_numbers(row.finding, {2.5, 4, 1, 4}));
  CHECK_FALSE(has_numbers(row.finding, {1000}));
  CHECK_THAT(row.finding, Catch::Contains("add up to 2.50 % of a trial of 4.00 s in 1 of 4"));
  covered.observation.cells[0].trials[1].row.steps_share = 0.04;
  covered.observation.cells[0].trials[1].row.wall_s = 0.5;
  CHECK_THAT(
      only(covered.threats()).finding,
      Catch::Contains("add up to 2.50 to 4.00 % of a trial of 500 ms to 4.00 s in 2 of 4 ok"));
  covered.study.workload = Workload::kTrain;  // times itself
  CHECK(covered.threats().empty());
}

TEST_CASE("the mistake is named that makes step times cover their trials", "[analysis]") {
  Covered covered;
  const auto finding_at = [&](double two, double four) {
    covered.each([&](const CellRow& row, TrialRow& trial) {
      trial.wall_s = 4.0;
      trial.steps_share = row.devices == 2 ? two : four;
    });
    return only(covered.threats()).finding;
  };

  CHECK_THAT(finding_at(0.0009, 0.0008), Catch::Contains("factor of 1000, as between seconds"));
  CHECK_THAT(finding_at(0.014, 0.016),
             Catch::Contains("factor of 60, as between minutes and seconds; or 60, the batch"));
  covered.observation.cells.pop_back();
  covered.observation.cells[0].row.devices = 12;
  covered.observation.cells[0].row.batch_global.reset();
  CHECK_THAT(finding_at(0.07, 0.07), Catch::Contains("factor of 12, the number of devices"));
  CHECK_THAT(finding_at(0.00004, 0.00004), !Catch::Contains("factor"));  // 1000 make 4 %
}

TEST_CASE("no factor is named that explains some trials only", "[analysis]") {
  Covered covered;
  covered.each([&](const CellRow& row, TrialRow& trial) {
    trial.wall_s = 4.0;
    trial.steps_share = row.devices == 2 ? 0.0009 : 0.05;
  });
  CHECK_THAT(only(covered.threats()).finding, !Catch::Contains("factor"));
}

TEST_CASE("lines that arrive at another distance than they say are told", "[analysis]") {
  Covered covered;
  const auto row_at = [&](double arrival_s) {
    covered.each([&](const CellRow&, TrialRow& trial) {
      trial.arrival_step_s = arrival_s;
      trial.steps_share = 0.003;
    });
    return covered.threats();
  };

  CHECK(only(row_at(0.0019)).kind == ThreatKind::kUncoveredTime);
  CHECK(only(row_at(0.00051)).kind == ThreatKind::kUncoveredTime);
  const ThreatRow units = only(row_at(1.1));  // s said, ms read
  CHECK(units.kind == ThreatKind::kLineArrival);
  CHECK(units.severity == Severity::kWarning);
  CHECK_THAT(units.finding, Catch::Contains("factor is 1000, as between seconds and milli"));
  CHECK(has_numbers(units.finding, {1.1, 1, 4, 4}));
  CHECK_THAT(units.finding, Catch::Contains("add up to 0.3"));
  CHECK_THAT(only(row_at(0.001 / 1100.0)).finding, Catch::Contains("factor is 1000"));
  const ThreatRow other = only(row_at(0.008));
  CHECK(other.severity == Severity::kNote);
  CHECK_THAT(other.finding, !Catch::Contains("factor"));
}

TEST_CASE("lines that arrive as they say clear the unit of steps that cover little", "[analysis]") {
  Covered covered;
  covered.each([](const CellRow&, TrialRow& trial) {
    trial.wall_s = 100.0;
    trial.steps_share = 0.0009;
    trial.arrival_step_s = 0.0011;
  });
  const ThreatRow right = only(covered.threats());
  CHECK(right.kind == ThreatKind::kUncoveredTime);
  CHECK_THAT(right.finding, Catch::Contains("the unit is right"));

  covered.each([](const CellRow&, TrialRow& trial) { trial.arrival_step_s = 1.0; });
  CHECK(only(covered.threats()).kind == ThreatKind::kLineArrival);  // once is enough
}

TEST_CASE("a program that prints one mean is not asked to cover its trial", "[analysis]") {
  Covered covered;
  covered.each([](const CellRow&, TrialRow& trial) { trial.steps_share = 0.001; });
  for (CellObservation& cell : covered.observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      trial.metrics[kStepTime].steps = 4;
    }
  }
  CHECK(covered.threats().empty());
}

TEST_CASE("steps that recur are said with their share of the time", "[analysis]") {
  Covered covered;
  covered.observation.cells[1].period =
      StepPeriod{.steps = 10, .factor = 8.02, .share = 0.445, .p = 1e-9, .trials = 8};

  const ThreatRow row = only(covered.threats());

  CHECK(row.kind == ThreatKind::kPeriodicSteps);
  CHECK(row.severity == Severity::kNote);
  CHECK_THAT(row.finding,
             Catch::StartsWith("Every 10th step takes 8.02 times as long (evaluation, checkpoint, "
                               "logging?): 44.5 % of the time (4 devices, batch 60; p < 0.0001 "
                               "over 8 trials)."));
  for (const auto& [steps, word] : std::vector<std::pair<std::size_t, std::string>>{
           {2, "2nd"}, {3, "3rd"}, {11, "11th"}, {12, "12th"}, {21, "21st"}, {100, "100th"}}) {
    covered.observation.cells[1].period->steps = steps;
    CHECK_THAT(only(covered.threats()).finding, Catch::StartsWith("Every " + word + " step"));
  }
}

namespace {

using Values = std::map<double, std::int64_t>;

// Threats to a command with one cell of 4 devices, each of whose trials printed these times.
std::vector<ThreatRow> printed(const Values& values,
                               const std::vector<double>& means_s,
                               const std::function<void(Covered&)>& change = {}) {
  Covered covered;
  covered.observation.cells = {test::observe_cell(test::make_cell(4, 4, 60), means_s)};
  for (TrialObservation& trial : covered.observation.cells[0].trials) {
    trial.steps.values = values;
  }
  if (change) {
    change(covered);
  }
  return covered.threats();
}

}  // namespace

TEST_CASE("times in so coarse a unit that rounding does not average out are told", "[analysis]") {
  const Values coarse = {{0.001, 24}, {0.002, 76}};
  const std::vector<double> means_s = {0.00176, 0.00178, 0.00174, 0.00177, 0.00176};
  const ThreatRow row = only(printed(coarse, means_s));
  CHECK(row.kind == ThreatKind::kZeroVariance);
  CHECK(row.severity == Severity::kWarning);
  CHECK(has_numbers(row.finding, {1, 1, 56.8, 4, 60}));  // cells; ms, % of the mean; the cell
  // Ticks of 5 ms.
  CHECK(only(printed({{0.005, 99}, {0.010, 1}}, {0.005, 0.0051})).kind ==
        ThreatKind::kZeroVariance);

  // Each of these averages out, or its error shows.
  CHECK(printed({{0.001, 20}, {0.002, 60}, {0.003, 20}}, means_s).empty());  // many values
  CHECK(printed({{0.00103, 24}, {0.00197, 76}}, means_s).empty());           // no multiples
  CHECK(printed({{0.1000, 24}, {0.1001, 76}}, {0.10007, 0.10008}).empty());  // below the margin
  CHECK(printed(coarse, {0.001, 0.002, 0.001, 0.002, 0.002}).empty());       // wide interval
  CHECK(printed(coarse, {0.00176}).empty());                                 // no interval
  CHECK(printed({{0.001, 1}, {0.002, 3}}, {0.0017, 0.0018}).empty());        // wide interval
  // A unit of 3 % moves the mean by half of that, which is below the margin of 2 %.
  CHECK(printed({{0.099, 24}, {0.102, 76}}, {0.1012, 0.1013}).empty());
  // Nearly all are one of two values, which are two units apart.
  CHECK(printed({{0.001, 50}, {0.003, 49}, {0.004, 1}}, {0.00203, 0.00204}).empty());
  CHECK(printed(coarse, means_s, [](Covered& covered) {
          covered.study.extract[0].is_difference = true;
        }).empty());
  CHECK(printed(coarse, means_s, [](Covered& covered) {
          covered.study.workload = Workload::kTrain;
        }).empty());
  CHECK(printed(coarse, means_s, [](Covered& covered) {
          covered.observation.cells[0].trials[0].definition = StepTimeDefinition::kWindow;
        }).empty());
}

namespace {

// Threats to a command each of whose trials printed one of these numbers in the unit.
std::vector<ThreatRow> printed_once(const std::vector<double>& numbers, const std::string& unit) {
  std::vector<double> times_s;
  for (const double number : numbers) {
    times_s.push_back(unit == "steps/s" ? 1.0 / number : number);
  }
  return printed({}, times_s, [&](Covered& covered) {
    covered.study.extract[0].unit = unit;
    std::vector<TrialObservation>& trials = covered.observation.cells[0].trials;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      trials[i].steps.values = {{times_s[i], 1}};
    }
  });
}

}  // namespace

TEST_CASE("a coarse unit is told where each trial prints one number", "[analysis]") {
  // Times of 7 x 66.667 and 71.429 s, 67.262 s on average, or 0.014867 steps/s. A rate that is
  // lower by 0.0005 gives 2.3408 s more: two of these are 4.6816 s. The interval of the mean has a
  // width of 2.815 s.
  const ThreatRow row =
      only(printed_once({0.015, 0.015, 0.015, 0.015, 0.015, 0.015, 0.015, 0.014}, "steps/s"));
  CHECK(row.kind == ThreatKind::kZeroVariance);
  CHECK(row.severity == Severity::kWarning);
  CHECK(row.finding ==
        "The step times of 1 cell are printed too coarsely: at worst in units of 4.68 s, 6.96 % of "
        "the mean (4 devices, batch 60). Rounding may move a mean by up to half of that, and no "
        "interval shows it. Print more digits.");
  // 0.1 of 2.1167 s.
  CHECK_THAT(only(printed_once({2.1, 2.1, 2.1, 2.1, 2.1, 2.2}, "s/it")).finding,
             Catch::Contains("in units of 100 ms, 4.72 % of the mean"));

  // An interval as wide as the unit, another unit than that of the digits, and many values.
  CHECK(printed_once({0.015, 0.015, 0.015, 0.015, 0.014}, "steps/s").empty());
  CHECK(printed_once({100, 100, 100, 100, 100, 105}, "s").empty());
  CHECK(printed_once({0.011, 0.013, 0.014, 0.012, 0.015, 0.013}, "steps/s").empty());
}

TEST_CASE("rates in too coarse a unit are told, although their times are no multiples",
          "[analysis]") {
  // The mean of 1.1652 s is 0.85822 it/s; 0.05 it/s less give 0.072084 s more.
  const ThreatRow row =
      only(printed({{1.0 / 0.8, 40}, {1.0 / 0.9, 58}, {1.0, 2}},
                   {1.165, 1.166, 1.164, 1.165, 1.166},
                   [](Covered& covered) { covered.study.extract[0].unit = "it/s"; }));
  CHECK(row.kind == ThreatKind::kZeroVariance);
  CHECK_THAT(row.finding, Catch::Contains("in units of 144 ms, 12.4 % of the mean"));
}

TEST_CASE("more than ten times over the trials of a cell are not held to be of a coarse unit",
          "[analysis]") {
  // Two neighbours in all five trials, and so many strays, each in one trial alone.
  const auto with_strays = [](int strays) {
    return printed({{0.001, 24}, {0.002, 76}},
                   {0.00176, 0.00178, 0.00174, 0.00177, 0.00176},
                   [&](Covered& covered) {
                     std::vector<TrialObservation>& trials = covered.observation.cells[0].trials;
                     for (int i = 0; i < strays; ++i) {
                       trials.at(static_cast<std::size_t>(i) / 2).steps.values[0.001 * (i + 3)] = 1;
                     }
                   });
  };

  CHECK(only(with_strays(8)).kind == ThreatKind::kZeroVariance);
  CHECK(with_strays(9).empty());
}
