// Intervals and threats of trials that several sessions ran.
#include "harness/analysis/cells/sessions.h"

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/estimates/estimates.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::has_numbers;
using test::in_session;
using test::make_cell;
using test::observe_cell;

namespace {

// Two cells of six trials; from trial `first` of the base and `first_of_cell` on, session 2.
std::vector<CellObservation> split_cells(std::size_t first, std::size_t first_of_cell) {
  return {
      in_session(in_session(observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 2.0, 2.1, 2.2}), 1),
                 2,
                 first),
      in_session(in_session(observe_cell(make_cell(2, 2, 8), {0.5, 0.6, 0.7, 1.0, 1.1, 1.2}), 1),
                 2,
                 first_of_cell)};
}

std::vector<ThreatRow> threats(const std::vector<CellObservation>& cells, const Study& study = {}) {
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  return session_threats(observation, study, compare_cells(observation, study));
}

ComparisonRow speedup(const std::vector<CellObservation>& cells, const Study& study = {}) {
  return compare_cells(test::make_observation(cells, Scaling::kStrong), study).at(0);
}

EstimateRow step_time(const CellObservation& cell) {
  return estimate_cells(test::make_observation({cell}, Scaling::kStrong), {}).at(0);
}

}  // namespace

TEST_CASE("what has bounds ends before them, and what may be anything does not", "[analysis]") {
  Study command;
  command.workload = Workload::kCommand;
  Study train;
  train.workload = Workload::kTrain;
  CHECK(range_of(command, "step_time_s", "s") == stats::Range::kPositive);
  CHECK(range_of(command, "speed", "images/s") == stats::Range::kPositive);
  CHECK(range_of(command, "score", "1") == stats::Range::kAny);
  CHECK(range_of(command, "system_share", "1") == stats::Range::kShare);
  CHECK(range_of(command, "my_share", "%") == stats::Range::kPercent);
  CHECK(range_of(command, "accuracy", "percent") == stats::Range::kPercent);
  CHECK(range_of(train, "data_share", "1") == stats::Range::kShare);
  CHECK(range_of(train, "loss", "1") == stats::Range::kPositive);
  CHECK(range_of(train, "overlap_efficiency", "1") == stats::Range::kBelowOne);
  CHECK(range_of(train, kHidden, "s") == stats::Range::kAny);

  // Means 0.88 and 0.1; the t intervals are 0.88 -+ 0.40 and 0.1 -+ 0.43.
  const SessionValues share{{1, {0.98, 0.96, 0.70}}};
  const auto kept = interval_over_trials(share, 0.95, stats::Range::kShare);
  CHECK(*kept.plain.hi > 1.0);
  CHECK(*kept.interval.hi < 1.0);
  CHECK(*kept.interval.mean == Approx(0.88));
  const SessionValues percent{{1, {98.0, 96.0, 70.0}}};
  const auto kept_percent = interval_over_trials(percent, 0.95, stats::Range::kPercent);
  CHECK(*kept_percent.interval.hi == Approx(100.0 * *kept.interval.hi));
  CHECK(*kept_percent.interval.lo == Approx(100.0 * *kept.interval.lo));
  const SessionValues time{{1, {0.3, 0.0, 0.0}}};
  CHECK(*interval_over_trials(time, 0.95, stats::Range::kPositive).interval.lo > 0.0);
  CHECK(*interval_over_trials(time, 0.95, stats::Range::kAny).interval.lo < 0.0);
  // A value that no time has says that it is none.
  const SessionValues offset{{1, {0.3, -0.1, 0.0}}};
  CHECK(*interval_over_trials(offset, 0.95, stats::Range::kPositive).interval.lo < 0.0);
}

TEST_CASE("trials of one session have the plain interval", "[analysis]") {
  const auto cells = split_cells(6, 6);

  CHECK(step_time(cells[0]).method == "mean_ci_t");
  CHECK(threats(cells).empty());
}

TEST_CASE("the interval of a step time takes two sessions as they are", "[analysis]") {
  const EstimateRow row = step_time(split_cells(3, 3)[0]);

  // Means 1.1 and 2.1, spread 0.1 in both: standard error 0.1 / sqrt(6), t(0.975, 4) = 2.776445.
  CHECK(row.method == "mean_ci_t_within");
  CHECK(*row.value == Approx(1.6));
  CHECK(*row.hi == Approx(1.6 + 2.776445 * 0.1 / std::sqrt(6.0)));
  CHECK(row.n == 6);
}

TEST_CASE("from five sessions on the interval of a step time is over them", "[analysis]") {
  CellObservation cell = observe_cell(make_cell(1, 1, 8), {1.0, 1.2, 2.0, 3.0, 4.0, 5.0});
  for (std::size_t i = 1; i < cell.trials.size(); ++i) {
    cell = in_session(std::move(cell), static_cast<std::int64_t>(i) + 10, i);
  }
  cell = in_session(std::move(cell), 9);
  for (std::size_t i = 2; i < cell.trials.size(); ++i) {
    cell = in_session(std::move(cell), static_cast<std::int64_t>(i) + 10, i);
  }
  const EstimateRow row = step_time(cell);

  // Means of sessions 1.1, 2, 3, 4, 5: mean 3.02, variance 2.402, t(0.975, 4) = 2.776445.
  CHECK(row.method == "mean_ci_t_sessions");
  CHECK(*row.value == Approx(3.02));
  CHECK(*row.lo == Approx(3.02 * std::exp(-2.776445 * std::sqrt(2.402 / 5.0) / 3.02)));
  CHECK(row.n == 6);
}

TEST_CASE("cells of two sessions are paired by block, and their distance is a warning",
          "[analysis]") {
  const auto cells = split_cells(3, 3);
  const auto rows = threats(cells);

  CHECK(speedup(cells).method == RatioMethod::kPaired);
  CHECK(speedup(cells).n == 6);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kSessions);
  CHECK(rows[0].severity == Severity::kWarning);
  // Base 1.1 and 2.1 over 1.6, cell 0.6 and 1.1 over 0.85: means 0.6967 and 1.3033 are 87.1 %
  // apart.
  CHECK(has_numbers(rows[0].finding, {2}));
  CHECK(has_numbers(rows[0].finding, {87.1, 0.0012}));  // %, p
}

TEST_CASE("sessions apart by chance, within the margin, or as the unit are a note", "[analysis]") {
  const auto of = [](const std::vector<std::vector<double>>& sessions_s) {
    CellObservation cell = observe_cell(make_cell(1, 1, 8), {});
    for (std::size_t i = 0; i < sessions_s.size(); ++i) {
      const CellObservation part = in_session(observe_cell(make_cell(1, 1, 8), sessions_s[i]),
                                              static_cast<std::int64_t>(i) + 1);
      for (TrialObservation trial : part.trials) {
        trial.row.block += 10 * static_cast<std::int64_t>(i);
        cell.trials.push_back(trial);
      }
    }
    return threats({cell}).at(0);
  };

  const ThreatRow by_chance = of({{0.9, 1.0, 1.1}, {0.95, 1.05, 1.15}});
  CHECK(by_chance.severity == Severity::kNote);
  CHECK(by_chance.finding.ends_with(" This decides nothing."));
  const ThreatRow little = of({{0.999, 1.0, 1.001}, {1.009, 1.01, 1.011}});
  CHECK(little.severity == Severity::kNote);
  // More than chance may put a target between them.
  CHECK_FALSE(little.finding.ends_with(" This decides nothing."));
  CHECK(of({{0.999, 1.0, 1.001}, {1.029, 1.03, 1.031}}).severity == Severity::kWarning);
  CHECK(of({{1.0, 1.001}, {1.1, 1.101}, {1.2, 1.201}, {1.3, 1.301}, {1.4, 1.401}}).severity ==
        Severity::kNote);
}

TEST_CASE("sessions that differ and are enough for history are told of it", "[analysis]") {
  const auto names_history = [](std::int64_t sessions, double later_s) {
    CellObservation cell = observe_cell(make_cell(1, 1, 8), {});
    for (std::int64_t session = 1; session <= sessions; ++session) {
      const double level_s = session > sessions / 2 ? later_s : 1.0;
      const CellObservation night = observe_cell(make_cell(1, 1, 8), {level_s, level_s + 0.01});
      const CellObservation part = in_session(night, session);
      cell.trials.insert(cell.trials.end(), part.trials.begin(), part.trials.end());
    }
    return threats({cell}).at(0).finding.ends_with(
        " This decides nothing. `scalestudy history by-hand` finds lasting changes.");
  };

  CHECK(names_history(10, 1.1));
  CHECK_FALSE(names_history(9, 1.1));
  CHECK_FALSE(names_history(10, 1.0));  // of one level
}

TEST_CASE("of other shares of the sessions the blocks that hold both are compared", "[analysis]") {
  const ComparisonRow row = speedup(split_cells(5, 1));

  CHECK(row.method == RatioMethod::kIndependent);
  CHECK(row.n == 2);
  CHECK(row.n_baseline == 2);
  CHECK(has_numbers(row.finding, {4, 4, 2}));  // left out of either; sessions
}

TEST_CASE("how far sessions are apart does not depend on shares", "[analysis]") {
  std::vector<CellObservation> cells = {
      in_session(in_session(observe_cell(make_cell(1, 1, 8), {1.0, 1.0, 1.0, 1.0, 1.1}), 1), 2, 4),
      in_session(in_session(observe_cell(make_cell(2, 2, 8), {1.0, 1.1, 1.1, 1.1, 1.1}), 1), 2, 1)};

  CHECK(has_numbers(threats(cells).at(0).finding, {10.0}));
}

TEST_CASE("cells that no two blocks hold are named, with what helps", "[analysis]") {
  const auto rows = threats(split_cells(6, 0));

  REQUIRE(rows.size() == 2);
  CHECK(rows[1].kind == ThreatKind::kAcrossSessions);
  CHECK(rows[1].severity == Severity::kWarning);
  CHECK(has_numbers(rows[1].finding, {2, 8, 1, 8}));  // devices, batch; of the base
  CHECK_FALSE(speedup(split_cells(6, 0)).value.has_value());

  const auto reduced = threats(split_cells(5, 1));
  REQUIRE(reduced.size() == 2);
  CHECK(reduced[1].kind == ThreatKind::kAcrossSessions);
  CHECK(reduced[1].severity == Severity::kNote);
}

TEST_CASE("without blocks other shares of the sessions are a warning", "[analysis]") {
  Study study;
  study.order.design = OrderDesign::kBatch;

  CHECK(threats(split_cells(3, 3), study).size() == 1);
  const auto rows = threats(split_cells(5, 1), study);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].kind == ThreatKind::kAcrossSessions);
  CHECK(rows[1].severity == Severity::kWarning);
  CHECK(speedup(split_cells(5, 1), study).value.has_value());
}

TEST_CASE("five sessions of two cells that share none are no unit", "[analysis]") {
  Study study;
  study.order.design = OrderDesign::kBatch;
  std::vector<CellObservation> cells = split_cells(6, 6);
  for (std::size_t i = 0; i < 6; ++i) {
    cells[0].trials[i].row.session_id = static_cast<std::int64_t>(i / 2);
    cells[1].trials[i].row.session_id = static_cast<std::int64_t>(3 + i / 2);
  }
  CHECK(speedup(cells, study).method == RatioMethod::kIndependent);
  for (std::size_t i = 0; i < 6; ++i) {
    cells[0].trials[i].row.session_id = static_cast<std::int64_t>(i);
    cells[1].trials[i].row.session_id = static_cast<std::int64_t>(i);
  }
  CHECK(speedup(cells, study).method == RatioMethod::kSessions);
  CHECK(speedup(cells, study).n == 6);
}

TEST_CASE("cells with a single trial are not said to be compared", "[analysis]") {
  // Base in session 1 but for one trial, of the cell one trial is left, with no block of both.
  std::vector<CellObservation> cells = split_cells(5, 1);
  cells[1].trials.erase(cells[1].trials.begin() + 1, cells[1].trials.end());
  for (const OrderDesign design : {OrderDesign::kBlocks, OrderDesign::kBatch}) {
    Study study;
    study.order.design = design;
    const auto rows = threats(cells, study);

    REQUIRE(rows.size() == 1);
    CHECK(rows[0].kind == ThreatKind::kSessions);
  }
}

TEST_CASE("a cell without trials has no shares to differ", "[analysis]") {
  CHECK_FALSE(has_other_shares(observe_cell(make_cell(1, 1, 8), {}),
                               observe_cell(make_cell(2, 2, 8), {1.0})));
}

TEST_CASE("programs that were edited between sessions are told by the cells that ran them",
          "[analysis]") {
  Study study;
  study.command = {"sh", "d{devices}.sh"};
  const auto ran = [](CellObservation cell, const std::string& one, const std::string& two) {
    for (TrialObservation& trial : cell.trials) {
      trial.software = test::share({{"file.d1.sh", one}, {"file.d2.sh", two}});
    }
    return cell;
  };
  const auto said = [&](const std::vector<CellObservation>& cells) {
    std::string text;
    for (const ThreatRow& row : threats(cells, study)) {
      text += row.kind == ThreatKind::kChangedStudy ? row.finding : "";
    }
    return text;
  };
  const auto cells = split_cells(6, 0);  // the cell's trials are all of session 2

  // The script of 2 devices was mended before any trial of it ended ok.
  CHECK(said({ran(cells[0], "a", "b"), ran(cells[1], "a", "c")}).empty());
  study.command = {"sh", "-c", "sh d{devices}.sh 2>&1"};
  CHECK(said({ran(cells[0], "a", "b"), ran(cells[1], "a", "c")}).empty());
  CellObservation both = ran(cells[1], "a", "c");
  both.trials[0].software = test::share({{"file.d1.sh", "a"}, {"file.d2.sh", "b"}});
  CHECK(said({ran(cells[0], "a", "b"), both}) ==
        "Edited between sessions, so that trials of one cell ran different programs: d2.sh. Run "
        "the study under another name.");
  // The end of another's name is none.
  study.command = {"sh", "-c", "sh {devices}.sh"};
  CellObservation eleven = in_session(observe_cell(make_cell(1, 11, 88), {1.0, 1.1, 1.2}), 1);
  CellObservation one = in_session(observe_cell(make_cell(2, 1, 8), {1.0, 1.1, 1.2}), 2);
  for (std::size_t i = 0; i < one.trials.size(); ++i) {
    eleven.trials[i].software = test::share({{"file.1.sh", "a"}, {"file.11.sh", "a"}});
    one.trials[i].software = test::share({{"file.1.sh", "b"}, {"file.11.sh", "a"}});
  }
  CHECK(said({eleven, one}).empty());
  // A file's name is one, whatever is in it.
  study.command = {"sh", "odd; file.d1.sh"};
  CellObservation odd = cells[1];
  for (std::size_t i = 0; i < odd.trials.size(); ++i) {
    odd.trials[i].software = test::share({{"file.odd; file.d1.sh", i == 0 ? "a" : "b"}});
  }
  CHECK_THAT(said({cells[0], odd}), Catch::Contains("different programs: odd; file.d1.sh."));
  // What no argument of now names counts for every cell.
  study.command = {"sh", "x.sh"};
  CHECK_THAT(said({ran(cells[0], "a", "b"), ran(cells[1], "a", "c")}),
             Catch::Contains("some cells and others ran different programs: d2.sh."));
}

TEST_CASE("a lack of common blocks is told beside the number", "[analysis]") {
  CHECK_THAT(speedup(split_cells(6, 0)).finding,
             Catch::Contains("not enough data (0 trials against 0; 2 on each side are needed, of "
                             "the same blocks of one session: others ran in different sessions"));
  auto few = split_cells(6, 6);
  few[1].trials.resize(1);
  CHECK_THAT(speedup(few).finding,
             Catch::Contains("1 trial against 1; 2 on each side are needed, of the same blocks)"));
}
