// Cells compared between sessions that were not run together.
#include "harness/analysis/studies/sides.h"

#include <cmath>
#include <ctime>
#include <limits>
#include <optional>

#include "tests/analysis/by_hand.h"
#include "tests/analysis/simulation/compared_sides.h"
#include "tests/support/catch.h"
#include "workloads/names/names.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

// A side whose only cell has one trial a session, of these step times.
Side one_a_session(const std::vector<double>& times_s, CellRow cell = make_cell(1, 1, 8)) {
  Side side;
  side.observation = make_observation({observe_cell(std::move(cell), times_s)}, Scaling::kStrong);
  std::vector<TrialObservation>& trials = side.observation.cells[0].trials;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].row.session_id = static_cast<std::int64_t>(i) + 1;
  }
  return side;
}

SideCell compare_one(const Side& a, const Side& b) {
  return compare_sides(a, b, 0.02, 0.95).cells.at(0);
}

const std::vector<double> kFive{1.00, 1.01, 0.99, 1.02, 0.98};

}  // namespace

TEST_CASE("five sessions a side give a ratio with an interval and a verdict", "[analysis]") {
  const SideCell row =
      compare_one(one_a_session({1.10, 1.11, 1.09, 1.12, 1.08}), one_a_session(kFive));

  // Both have variance 0.00025; by the delta method se = sqrt(5e-5 / 1.1^2 + 5e-5 / 1^2).
  REQUIRE(row.is_attributable);
  CHECK(*row.time_a_s == Approx(1.10));
  CHECK(*row.ratio == Approx(1.10));
  CHECK(std::log(*row.hi / *row.lo) / 2.0 ==
        Approx(2.31 * std::sqrt(5e-5 / 1.21 + 5e-5)).epsilon(0.01));
  CHECK(row.verdict == Verdict::kFaster);
  CHECK(*row.p_adjusted < 0.001);
}

TEST_CASE("equal sides are equivalent within the margin", "[analysis]") {
  CHECK(compare_one(one_a_session({1.0, 1.001, 0.999, 1.002, 0.998}),
                    one_a_session({1.001, 1.0, 0.999, 0.998, 1.002}))
            .verdict == Verdict::kEquivalent);
}

TEST_CASE("four sessions on one side attribute nothing, however clear it looks", "[analysis]") {
  const SideCell row = compare_one(one_a_session({2.0, 2.01, 1.99, 2.0}), one_a_session(kFive));

  CHECK_FALSE(row.is_attributable);
  CHECK(*row.ratio == Approx(2.0));
  CHECK_FALSE(row.lo);
  CHECK_FALSE(row.p_adjusted);
  CHECK(row.verdict == Verdict::kNotEnoughData);
}

TEST_CASE("twenty trials of one session are one value", "[analysis]") {
  Side a = one_a_session(std::vector<double>(20, 2.0));
  a.observation.cells[0] = in_session(a.observation.cells[0], 1);

  const SideCell row = compare_one(a, one_a_session(kFive));

  CHECK(row.trials_a == 20);
  CHECK(row.sessions_a == 1);
  CHECK_FALSE(row.is_attributable);
}

TEST_CASE("sessions that do not vary say so", "[analysis]") {
  const SideCell row = compare_one(one_a_session({2.0, 2.0, 2.0, 2.0, 2.0}),
                                   one_a_session({1.0, 1.0, 1.0, 1.0, 1.0}));

  CHECK(*row.ratio == Approx(2.0));
  CHECK(row.verdict == Verdict::kNotEnoughData);
  CHECK(row.status == RowStatus::kZeroVariance);
  CHECK(compare_one(one_a_session({2.0}), one_a_session({1.0})).status ==
        RowStatus::kInsufficientData);  // too few sessions are the reason here
}

TEST_CASE("a step time that is none gives no verdict", "[analysis]") {
  std::vector<double> times_s = kFive;
  times_s[2] = std::numeric_limits<double>::quiet_NaN();

  const SideCell row = compare_one(one_a_session(times_s), one_a_session(kFive));

  CHECK(row.verdict == Verdict::kNotEnoughData);
  CHECK_FALSE(row.lo);
}

TEST_CASE("oversubscribed cells make no claim between sessions", "[analysis]") {
  Side b = one_a_session(kFive);
  b.observation.cells[0].row.oversubscribed = true;

  CHECK(compare_one(one_a_session({2.0, 2.1, 2.2, 2.1, 2.0}), b).verdict == Verdict::kNoClaim);
}

TEST_CASE("step times that are not the same thing on both sides make no claim", "[analysis]") {
  const auto defined = [](Side side, StepTimeDefinition definition) {
    for (TrialObservation& trial : side.observation.cells[0].trials) {
      trial.definition = definition;
    }
    return side;
  };
  const Side steps =
      defined(one_a_session({1.20, 1.21, 1.19, 1.22, 1.18}), StepTimeDefinition::kSteps);
  Side window = defined(one_a_session(kFive), StepTimeDefinition::kWindow);

  const SideCell row = compare_one(steps, window);
  CHECK_FALSE(row.is_same_time);
  CHECK(row.verdict == Verdict::kNoClaim);
  CHECK_FALSE(row.ratio);
  CHECK_FALSE(row.p_adjusted);
  CHECK(*row.time_a_s == Approx(1.20));
  CHECK(compare_one(window, window).verdict == Verdict::kEquivalent);
  window.observation.cells[0].trials[0].definition = StepTimeDefinition::kSteps;
  CHECK(compare_one(window, window).verdict == Verdict::kNoClaim);  // some of both on either side
}

namespace {

// A cell of one device, of a study in which only devices vary.
CellRow row_of_batch(std::optional<std::int64_t> batch) {
  CellRow row = make_cell(1, 1, batch.value_or(0));
  row.parameters[0].varied = false;
  row.batch_global = row.batch_per_device = batch;
  return row;
}

}  // namespace

// 128 samples in 1.5 s over 64 samples in 1 s: 4/3 the throughput.
TEST_CASE("sides of different batches are compared by throughput", "[analysis]") {
  const Side small = one_a_session(kFive, row_of_batch(64));
  const Side large = one_a_session({1.50, 1.51, 1.49, 1.52, 1.48}, row_of_batch(128));

  const SideCell row = compare_one(small, large);
  CHECK(row.work == 2.0);
  CHECK(*row.time_a_s == Approx(1.0));
  CHECK(*row.time_b_s == Approx(1.5));
  CHECK(*row.ratio == Approx(4.0 / 3.0));
  CHECK(*row.lo * *row.hi == Approx(16.0 / 9.0));
  CHECK(row.verdict == Verdict::kFaster);

  const SideCell back = compare_one(large, small);
  CHECK(*back.ratio == Approx(0.75));
  CHECK(back.verdict == Verdict::kSlower);

  const Side twice = one_a_session({2.000, 2.002, 1.998, 2.004, 1.996}, row_of_batch(128));
  CHECK(compare_one(one_a_session({1.000, 1.001, 0.999, 1.002, 0.998}, row_of_batch(64)), twice)
            .verdict == Verdict::kEquivalent);
}

TEST_CASE("sides of different messages are compared by bytes a second", "[analysis]") {
  const auto sending = [](const std::string& bytes, const std::vector<double>& times_s) {
    CellRow row = row_of_batch({});
    row.hash = bytes;
    row.parameters.push_back({names::kMessageBytes, bytes, ValueKind::kInteger, false});
    return one_a_session(times_s, row);
  };

  const SideCell row =
      compare_one(sending("1024", kFive), sending("2048", {1.50, 1.51, 1.49, 1.52, 1.48}));
  CHECK(*row.ratio == Approx(4.0 / 3.0));
  CHECK(row.verdict == Verdict::kFaster);
  CHECK(compare_one(sending("1024", kFive), one_a_session(kFive, row_of_batch({}))).verdict ==
        Verdict::kUnknownWork);
}

TEST_CASE("sides make no claim where nothing says how much work a step of one does", "[analysis]") {
  const Side known = one_a_session(kFive, row_of_batch(64));
  const Side unknown = one_a_session({1.50, 1.51, 1.49, 1.52, 1.48}, row_of_batch({}));
  for (const SideCell& row : {compare_one(known, unknown), compare_one(unknown, known)}) {
    CHECK(row.verdict == Verdict::kUnknownWork);
    CHECK_FALSE(row.work);
    CHECK_FALSE(row.ratio);
    CHECK_FALSE(row.p_adjusted);
    CHECK(row.time_a_s);
  }
  CHECK(compare_one(unknown, unknown).verdict == Verdict::kEquivalent);

  CellRow two_devices = row_of_batch({});  // of a study that declares them as a parameter
  two_devices.devices = 2;
  two_devices.hash = "two";
  Side two = one_a_session({1.50, 1.51, 1.49, 1.52, 1.48}, two_devices);
  two.study.workload = Workload::kCommand;
  CHECK(compare_one(unknown, two).verdict == Verdict::kUnknownWork);
}

TEST_CASE("cells are matched by hash, else by what varies, and named where they are not",
          "[analysis]") {
  CellRow other = make_cell(7, 1, 8);
  other.hash = "another program";
  Side a = one_a_session(kFive, other);
  a.observation.cells.push_back(observe_cell(make_cell(8, 4, 8), {1.0}));
  Side b = one_a_session(kFive);
  b.observation.cells.push_back(observe_cell(make_cell(9, 2, 8), {1.0}));
  b.observation.cells.push_back(observe_cell(make_cell(10, 4, 16), {}));  // no trial

  const SideComparison comparison = compare_sides(a, b, 0.02, 0.95);

  REQUIRE(comparison.cells.size() == 1);
  CHECK_FALSE(comparison.cells[0].is_same);
  REQUIRE(comparison.only_a.size() == 1);
  CHECK(comparison.only_a[0].hash == "d4b8");
  REQUIRE(comparison.only_b.size() == 1);
  CHECK(comparison.only_b[0].hash == "d2b8");
  CHECK(compare_one(b, b).is_same);
}

TEST_CASE("a cell that b was to run and has no trial of is lost, whether or not a has one",
          "[analysis]") {
  CellObservation failed = observe_cell(make_cell(9, 2, 8), {});
  failed.planned = 5;
  const auto lost = [](CellObservation in_a, CellObservation in_b, bool is_largest = false) {
    Side a = one_a_session(kFive);
    a.observation.cells.push_back(std::move(in_a));
    Side b = one_a_session(kFive);
    b.observation.cells.push_back(std::move(in_b));
    if (is_largest) {
      b.study.largest.emplace();
    }
    std::vector<std::string> hashes;
    for (const CellRow& cell : compare_sides(a, b, 0.02, 0.95).lost) {
      hashes.push_back(cell.hash);
    }
    return hashes;
  };
  const std::vector<std::string> two{"d2b8"};
  const CellObservation measured = observe_cell(make_cell(9, 2, 8), {1.0});

  CHECK(lost(failed, failed) == two);
  CHECK(lost(measured, failed) == two);
  CHECK(lost(failed, measured).empty());
  CHECK(lost(measured, observe_cell(make_cell(9, 2, 8), {})).empty());  // not planned in b
  failed.unsupported = 5;
  CHECK(lost(measured, failed).empty());
  failed.unsupported = 0;
  failed.failures["oom"] = 5;  // a search for the largest batch ends at such a cell
  CHECK(lost(failed, failed, true).empty());
  CHECK(lost(measured, failed, true) == two);
}

TEST_CASE("the same cell is the partner, also beside one that varies alike", "[analysis]") {
  CellRow other = make_cell(7, 1, 8);
  other.hash = "another program";
  Side a = one_a_session(kFive);
  a.observation.cells.push_back(one_a_session({2.0, 2.1}, other).observation.cells[0]);

  CHECK(compare_one(a, one_a_session(kFive)).is_same);
}

TEST_CASE("of several cells that vary alike none is the partner", "[analysis]") {
  CellRow one = make_cell(7, 1, 8);
  one.hash = "another program";
  CellRow two = make_cell(8, 1, 8);
  two.hash = "a third program";
  Side a = one_a_session(kFive, one);
  a.observation.cells.push_back(one_a_session({2.0, 2.1}, two).observation.cells[0]);

  const SideComparison comparison = compare_sides(a, one_a_session(kFive), 0.02, 0.95);

  CHECK(comparison.cells.empty());
  CHECK(comparison.only_a.size() == 2);
  CHECK(comparison.only_b.size() == 1);
}

TEST_CASE("thousands of cells of another program find their partners at once", "[analysis]") {
  const auto side_of = [](const std::string& program) {
    Side side;
    for (std::int64_t id = 1; id <= 2'000; ++id) {
      CellRow row = make_cell(id, 1, id);
      row.hash += program;
      side.observation.cells.push_back(observe_cell(std::move(row), {1.0}));
    }
    return side;
  };
  const Side a = side_of("a");
  const Side b = side_of("b");
  const std::clock_t begin = std::clock();
  CHECK(compare_sides(a, b, 0.02, 0.95).cells.size() == 2'000);
  CHECK(static_cast<double>(std::clock() - begin) < 2.0 * CLOCKS_PER_SEC);  // of CPU time
}

TEST_CASE("p values are adjusted over the cells", "[analysis]") {
  const std::vector<double> slower{1.02, 1.03, 1.01, 1.04, 1.00};
  Side a = one_a_session(slower);
  Side b = one_a_session(kFive);
  const double alone = *compare_one(a, b).p_adjusted;
  for (const auto& [side, times_s] :
       {std::pair<Side&, std::vector<double>>{a, kFive}, {b, kFive}}) {
    side.observation.cells.push_back(
        one_a_session(times_s, make_cell(2, 2, 8)).observation.cells[0]);
  }

  CHECK(*compare_one(a, b).p_adjusted == Approx(2.0 * alone));
}

TEST_CASE("a session without a trial that counts is no session of its side", "[analysis]") {
  Side side = one_a_session({1.0, 1.1});
  side.sessions.resize(3);
  for (std::size_t i = 0; i < side.sessions.size(); ++i) {
    side.sessions[i].id = static_cast<std::int64_t>(i) + 1;
    side.facts.push_back({{"host", std::to_string(i + 1)}});
  }

  side = without_idle_sessions(side);
  CHECK(side.sessions.size() == 2);
  CHECK(side.facts.size() == 2);

  std::vector<TrialObservation> trials = side.observation.cells[0].trials;
  trials.erase(trials.begin());
  side.observation.cells[0].trials = trials;
  side = without_idle_sessions(side);
  REQUIRE(side.sessions.size() == 1);
  CHECK(side.sessions[0].id == 2);
  CHECK(side.facts.at(0).at("host") == "2");

  side.observation.cells[0].trials.clear();
  side = without_idle_sessions(side);
  CHECK(side.sessions.size() == 1);
}

TEST_CASE("only facts that differ are named, unknown ones included", "[analysis]") {
  Side a;
  a.facts = {{{"kernel", "6.1"}, {"host", "x"}, {"driver", "535"}},
             {{"kernel", "6.1"}, {"host", "x"}, {"driver", "550"}}};
  Side b;
  b.facts = {{{"kernel", "6.1"}, {"host", "y"}, {"nccl", "2.18"}}};

  const std::vector<FactDifference> differences = fact_differences(a, b);

  REQUIRE(differences.size() == 3);
  CHECK(differences[0].name == "driver");
  CHECK(differences[0].a.size() == 2);
  CHECK(differences[0].b.empty());
  CHECK(differences[1].name == "host");
  CHECK(differences[2].name == "nccl");
}

TEST_CASE("equal sides are seldom called different, whatever sessions do", "[analysis]") {
  for (const double session_sd : {0.0, 0.02, 0.05}) {
    CHECK(run_sides(5, session_sd, 0.0, 1000, 20261122).called.share() <= 0.05 + 4.0 * 0.0069);
  }
  CHECK(run_sides(5, 0.02, 0.0, 300, 20261123).called_trials.share() > 0.3);
}

TEST_CASE("side by side in the blocks of one session 5 % are found", "[analysis]") {
  CHECK(run_interleaved(0.05, 0.05, 300, 20261124).share() >= 0.80);
  CHECK(run_interleaved(0.05, 0.0, 1000, 20261125).share() <= 0.05 + 4.0 * 0.0069);
}
