// What a command of the user's leaves to chance.
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "workloads/names/names.h"

using namespace scalestudy;

namespace {

struct Observed {
  Observed()
      : observation(test::make_observation(
            {test::observe_cell(test::make_cell(1, 1, 8), {1.0, 1.1, 1.2})}, Scaling::kStrong)) {
    study.workload = Workload::kCommand;
    study.steps = {.warmup = 2, .measured = 1, .is_open = true};
    study.extract.resize(1);
    study.extract[0].metric = kStepTime;
  }

  TrialObservation& trial(std::size_t i) { return observation.cells[0].trials[i]; }
  std::vector<ThreatRow> threats() const { return command_threats(observation, study); }

  StudyObservation observation;
  Study study;
};

}  // namespace

TEST_CASE("a trial that measured what was left, one step, is told", "[analysis]") {
  Observed observed;
  CHECK(observed.threats().empty());

  observed.trial(1).metrics[kStepTime].steps = 1;
  const auto rows = observed.threats();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kSingleSteps);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK_THAT(rows[0].finding,
             Catch::StartsWith("1 of 3 ok trials (1 device, batch 8) measured only one "
                               "step, because only one followed the warm-up of 2 steps"));

  observed.study.extract[0].from = ExtractSource::kWallTime;  // a whole run is one step
  CHECK(observed.threats().empty());
  observed.study.extract[0].from = ExtractSource::kOutput;
  observed.study.steps.is_open = false;  // as declared
  CHECK(observed.threats().empty());
}

TEST_CASE("steps that add up to more than their trial took are told", "[analysis]") {
  Observed observed;
  for (std::size_t i = 0; i < 3; ++i) {
    observed.trial(i).row.wall_s = 125.0;  // 100 steps of 1.0, 1.1 and 1.2 s
  }
  CHECK(observed.threats().empty());

  observed.trial(2).row.wall_s = 113.0;  // 120 s are 6 % more
  const auto rows = observed.threats();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kImpossibleTimes);
  CHECK_THAT(rows[0].finding,
             Catch::StartsWith("The measured steps of 1 of 3 ok trials") &&
                 Catch::Contains("times since its start (the rule then needs difference: true)"));
  observed.trial(2).row.wall_s = 115.0;  // 4 % are a clock's
  CHECK(observed.threats().empty());
  observed.trial(0).covered_steps = 2.0;  // 100 times of two steps each
  CHECK_THAT(observed.threats().at(0).finding,
             Catch::StartsWith("The measured steps of 1 of 3 ok trials"));
}

TEST_CASE("cleanups that failed are told", "[analysis]") {
  Observed observed;
  observed.trial(0).has_failed_cleanup = observed.trial(2).has_failed_cleanup = true;

  const auto rows = observed.threats();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kFailedCleanup);
  CHECK_THAT(rows[0].finding,
             Catch::StartsWith("The cleanup after 2 of 3 ok trials (first: 1 device, batch 8)"));
  observed.study.workload = Workload::kTrain;
  CHECK(observed.threats().size() == 1);
}

TEST_CASE("what setup left running is told", "[analysis]") {
  Observed observed;
  observed.trial(1).has_ended_setup = true;

  const auto rows = observed.threats();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kLeftBySetup);
  CHECK_THAT(rows[0].finding,
             Catch::StartsWith("What setup left running before 1 of 3 ok trials ("));
}

TEST_CASE("lines that repeat a step are warned of, numbers that go back are noted", "[analysis]") {
  Observed observed;
  observed.trial(0).has_repeated_lines = true;
  observed.trial(1).is_resumed = true;

  const auto rows = observed.threats();

  REQUIRE(rows.size() == 2);
  CHECK(rows[0].kind == ThreatKind::kRepeatedSteps);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK_THAT(rows[0].finding,
             Catch::StartsWith("In 1 of 3 ok trials (1 device, batch 8), several lines"));
  CHECK(rows[1].kind == ThreatKind::kRepeatedSteps);
  CHECK(rows[1].severity == Severity::kNote);
  CHECK_THAT(rows[1].finding, Catch::Contains("the warm-up (2 steps) after it is left out."));
}

TEST_CASE("a search by a metric is not warned that the work of a step is unknown", "[analysis]") {
  Observed observed;
  std::vector<CellObservation> cells;
  for (const std::int64_t devices : {1, 2}) {
    CellRow cell = test::make_cell(devices, devices, 8);
    cell.batch_global.reset();
    cell.batch_per_device.reset();
    cell.parameters.clear();
    cells.push_back(test::observe_cell(cell, {1.0, 1.1, 1.2}));
  }
  observed.observation = test::make_observation(cells, Scaling::kNone);
  observed.study.axes = {{.name = "devices", .values = {std::int64_t{1}, std::int64_t{2}}}};
  REQUIRE(observed.threats().size() == 1);
  CHECK(observed.threats()[0].kind == ThreatKind::kUnknownWork);

  observed.study.search.emplace();
  observed.study.search->objective = "latency";
  CHECK(observed.threats().empty());
  observed.study.search->objective = names::kThroughput;
  CHECK(observed.threats().size() == 1);
}

TEST_CASE("a metric that lacks a value at some steps is told", "[analysis]") {
  Observed observed;
  observed.trial(1).has_fewer_values = true;

  const auto rows = observed.threats();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kUnreadOutput);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(rows[0].finding ==
        "In 1 of 3 ok trials (1 device, batch 8), a metric lacks a value at some steps "
        "(`scalestudy show` of a trial names the metric and a step). Its rule may not match all "
        "that is printed, such as nan or another unit. Mend it, and read the outputs again with "
        "`scalestudy extract`.");
}

TEST_CASE("commas that may be decimal ones are told", "[analysis]") {
  Observed observed;
  observed.trial(1).comma_metrics.insert("loss");
  CHECK(observed.threats().empty());  // the study has no such rule any more
  observed.study.extract.emplace_back().metric = "loss";

  const auto rows = observed.threats();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kDecimalCommas);
  CHECK_THAT(rows[0].finding, Catch::StartsWith("In 1 of 3 ok trials (1 device, batch 8)"));
  observed.study.extract.back().decimal = DecimalMark::kPoint;
  CHECK(observed.threats().empty());
}

TEST_CASE("trials that ran a program after it was edited are told", "[analysis]") {
  Observed observed;
  CHECK(observed.threats().empty());
  observed.trial(1).edited_programs = {"train.py"};
  observed.trial(2).edited_programs = {"run.sh", "train.py"};

  const auto rows = observed.threats();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kChangedStudy);
  CHECK_THAT(rows[0].finding,
             Catch::StartsWith("Edited while a session ran: run.sh; train.py. After that, 2 of 3 "
                               "ok trials (first: 1 device, batch 8) ran a different program"));
}

TEST_CASE("output that was not read, or that reports an error, is told", "[analysis]") {
  Observed observed;
  observed.trial(0).has_unread_output = true;
  observed.trial(1).has_error_lines = observed.trial(2).has_error_lines = true;

  const auto rows = observed.threats();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].kind == ThreatKind::kUnreadOutput);
  CHECK_THAT(rows[0].finding,
             Catch::StartsWith("Part of the output of 1 of 3 ok trials (1 device"));
  CHECK(rows[1].kind == ThreatKind::kErrorLines);
  CHECK_THAT(rows[1].finding,
             Catch::StartsWith("The output of 2 of 3 ok trials (first:") &&
                 Catch::Contains("although their exit code is 0"));

  observed.observation.imported = Imported();  // nobody saw how the run ended
  CHECK_THAT(observed.threats().at(1).finding,
             !Catch::Contains("is 0") && Catch::Contains("A log does not tell the exit code"));
}

TEST_CASE("devices that are elsewhere are a note, and load of this machine is no threat",
          "[analysis]") {
  Observed observed;
  for (std::size_t i = 0; i < 3; ++i) {
    observed.trial(i).row.foreign_load = 2.0;
    observed.trial(i).row.wall_s = 1.0;  // of printing a log, say
  }
  observed.observation.cores = 2.0;
  REQUIRE(load_threats(observed.observation, observed.study, {}).size() == 1);
  REQUIRE(observed.threats().front().kind == ThreatKind::kImpossibleTimes);

  observed.study.where = Where::kRemote;

  CHECK(load_threats(observed.observation, observed.study, {}).empty());
  const auto rows = observed.threats();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kDeclaredDevices);
  CHECK(rows[0].severity == Severity::kNote);
  CHECK_THAT(rows[0].finding, Catch::StartsWith("Devices are declared, not checked"));
}
