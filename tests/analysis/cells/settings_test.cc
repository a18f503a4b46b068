// Settings that were not applied get no credit.
#include "harness/analysis/cells/settings.h"

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::make_cell;
using test::observe_cell;

namespace {

const std::string kAlgorithm = "OMPI_MCA_coll_tuned_allreduce_algorithm";

// A cell of two devices with that value; `state` of its trials, absent: their program says nothing.
CellObservation with_setting(const std::string& value,
                             double time_s,
                             const std::optional<double>& state) {
  CellRow row = make_cell(value == "0" ? 1 : 2, 2, 8);
  row.hash = "a" + value;
  row.baseline = "a0";
  row.parameters.push_back({"env." + kAlgorithm, value, ValueKind::kInteger, true});
  const double shift_s = value == "0" ? 0.02 : 0.0;  // so that ratios of blocks differ
  CellObservation cell = observe_cell(row,
                                      {1.00 * time_s + shift_s,
                                       1.01 * time_s,
                                       0.99 * time_s,
                                       1.02 * time_s + shift_s,
                                       0.98 * time_s,
                                       1.00 * time_s});
  for (TrialObservation& trial : cell.trials) {
    if (state) {
      trial.settings[kAlgorithm] = *state;
    }
  }
  return cell;
}

ComparisonRow compare(const CellObservation& base, const CellObservation& cell) {
  Study study;
  study.analysis.confidence = 0.95;
  study.analysis.margin = 0.02;
  return compare_cells(test::make_observation({base, cell}, Scaling::kStrong), study).at(0);
}

}  // namespace

TEST_CASE("a difference is credited to a setting that was applied", "[analysis]") {
  const ComparisonRow row = compare(with_setting("0", 2.0, 1.0), with_setting("4", 1.0, 1.0));

  CHECK(row.verdict == Verdict::kFaster);
}

TEST_CASE("no verdict credits a setting that was overridden or not seen on one side",
          "[analysis]") {
  const auto [state, word] =
      GENERATE(table<double, std::string>({{0.0, "overridden"}, {-1.0, "not seen"}}));

  const ComparisonRow of_cell = compare(with_setting("0", 2.0, 1.0), with_setting("4", 1.0, state));
  const ComparisonRow of_base = compare(with_setting("0", 2.0, state), with_setting("4", 1.0, 1.0));

  CHECK(of_cell.verdict == Verdict::kNotApplied);
  CHECK(*of_cell.value == Approx(2.0).epsilon(0.01));
  CHECK_FALSE(of_cell.p_adjusted.has_value());
  CHECK_THAT(of_cell.finding,
             Catch::Contains("no performance claim (setting not applied): env." + kAlgorithm +
                             "=4 " + word));
  CHECK(of_base.verdict == Verdict::kNotApplied);
  CHECK(of_cell.doubted_cells == CellIds{2});
  CHECK(of_base.doubted_cells == CellIds{1});
}

TEST_CASE("both sides are in doubt where neither had its setting", "[analysis]") {
  const ComparisonRow row = compare(with_setting("0", 2.0, 0.0), with_setting("4", 1.0, -1.0));
  CHECK(row.doubted_cells == CellIds{2, 1});
  CHECK(compare(with_setting("0", 2.0, 1.0), with_setting("4", 1.0, 1.0)).doubted_cells.empty());
  // What is not known of one side is no doubt about it beside what is known of the other.
  const ComparisonRow one =
      compare(with_setting("0", 2.0, std::nullopt), with_setting("4", 1.0, 0.0));
  CHECK(one.doubted_cells == CellIds{2});
}

TEST_CASE("a cell whose links were not as asked has no verdict, though its base has the same",
          "[analysis]") {
  const auto linked = [](std::int64_t devices, double time_s, std::optional<double> state) {
    CellObservation cell = with_setting(devices == 1 ? "0" : "4", time_s, 1.0);
    cell.row.id = devices;
    cell.row.devices = devices;
    cell.row.hash = "a" + std::to_string(devices);
    cell.row.baseline = "a1";
    cell.row.parameters.push_back({"interconnect.bandwidth", "1000", ValueKind::kReal, false});
    for (TrialObservation& trial : cell.trials) {
      if (state) {
        trial.settings["interconnect.bandwidth"] = *state;
      }
    }
    return cell;
  };
  const CellObservation alone = linked(1, 2.0, std::nullopt);  // has no link to tell of

  CHECK(compare(alone, linked(2, 1.0, 1.0)).verdict == Verdict::kFaster);
  CHECK(compare(alone, linked(2, 1.0, 0.0)).verdict == Verdict::kNotApplied);
  const ComparisonRow row = compare(alone, linked(2, 1.0, -1.0));
  CHECK(row.verdict == Verdict::kNotApplied);
  CHECK_THAT(row.finding, Catch::Contains("links of 1 Gbit/s not seen"));
  CHECK(row.doubted_cells == CellIds{2});
}

TEST_CASE("one trial in which a setting was not applied is enough", "[analysis]") {
  CellObservation cell = with_setting("4", 1.0, 1.0);
  cell.trials[3].settings[kAlgorithm] = 0.0;

  CHECK(setting_state(cell, kAlgorithm) == SettingState::kOverridden);
  CHECK(compare(with_setting("0", 2.0, 1.0), cell).verdict == Verdict::kNotApplied);
}

TEST_CASE("no verdict credits a setting that nothing shows to be applied", "[analysis]") {
  CellObservation silent = with_setting("4", 1.0, 1.0);
  silent.trials[3].settings.clear();
  for (const CellObservation& cell : {with_setting("4", 1.0, std::nullopt), silent}) {
    CHECK(setting_state(cell, kAlgorithm) == SettingState::kUnconfirmed);
    const ComparisonRow row = compare(with_setting("0", 2.0, 1.0), cell);
    CHECK(row.verdict == Verdict::kUnconfirmed);
    CHECK(*row.value == Approx(2.0).epsilon(0.01));
    CHECK_FALSE(row.p_adjusted.has_value());
    CHECK_THAT(row.finding,
               Catch::Contains("no performance claim (setting unconfirmed): env." + kAlgorithm +
                               "=4 unconfirmed"));
  }
}

TEST_CASE("what was found not to be applied is told before what is unconfirmed", "[analysis]") {
  CellObservation base = with_setting("0", 2.0, 0.0);
  CellObservation cell = with_setting("4", 1.0, std::nullopt);
  const ComparisonRow row = compare(base, cell);
  CHECK(row.verdict == Verdict::kNotApplied);
  CHECK(row.doubted_cells == CellIds{1, 2});  // neither is what it says
}

TEST_CASE("a setting in doubt is told also where the base cannot run", "[analysis]") {
  CellObservation base = with_setting("0", 2.0, 1.0);
  base.trials.clear();
  base.unsupported = base.planned;
  const ComparisonRow row = compare(base, with_setting("4", 1.0, 0.0));
  CHECK(row.verdict == Verdict::kNotApplied);
  CHECK(row.doubted_cells == CellIds{2});
  CHECK(compare(base, with_setting("4", 1.0, 1.0)).verdict == Verdict::kUnsupported);
}

// No library says what it made of OMP_NUM_THREADS: the command itself is what such cells name.
TEST_CASE("a verdict stays where a variable is of no library, or not what cells differ by",
          "[analysis]") {
  const auto with_threads = [](const std::string& value, double time_s) {
    CellObservation cell = with_setting(value, time_s, std::nullopt);
    cell.row.parameters.back().name = "env.OMP_NUM_THREADS";
    return cell;
  };
  CHECK(compare(with_threads("0", 2.0), with_threads("4", 1.0)).verdict == Verdict::kFaster);

  CellObservation base = with_setting("0", 2.0, 1.0);
  base.row.parameters.back().value = "4";
  CHECK(compare(base, with_setting("4", 1.0, 0.0)).verdict == Verdict::kFaster);
}

TEST_CASE("types that cores convert in software make no claim on either side", "[analysis]") {
  CellObservation base = with_setting("0", 2.0, 1.0);
  CellObservation cell = with_setting("4", 1.0, 1.0);
  cell.has_software_type = true;
  const ComparisonRow row = compare(base, cell);
  CHECK(row.verdict == Verdict::kSoftwareType);
  CHECK(*row.value == Approx(2.0).epsilon(0.01));
  CHECK_FALSE(row.p_adjusted.has_value());
  CHECK_THAT(row.finding, Catch::EndsWith("no performance claim (16 bits in software)"));

  std::swap(base.has_software_type, cell.has_software_type);
  CHECK(compare(base, cell).verdict == Verdict::kSoftwareType);
}

TEST_CASE("a side that this machine can run no trial of is unsupported, not short of data",
          "[analysis]") {
  const CellObservation base = with_setting("0", 2.0, 1.0);
  const CellObservation cell = with_setting("4", 1.0, 1.0);
  const auto without_trials = [](CellObservation observed, std::int64_t unsupported) {
    observed.trials.clear();
    observed.planned = 3;
    observed.unsupported = unsupported;
    return observed;
  };

  const ComparisonRow row = compare(base, without_trials(cell, 3));
  CHECK(row.verdict == Verdict::kUnsupported);
  CHECK_THAT(row.finding, Catch::EndsWith("unsupported"));
  CHECK(compare(without_trials(base, 3), cell).verdict == Verdict::kUnsupported);

  CHECK(compare(base, without_trials(cell, 0)).verdict != Verdict::kUnsupported);
  // A trial that is still to be run may show otherwise.
  CHECK(compare(base, without_trials(cell, 2)).verdict != Verdict::kUnsupported);
}

TEST_CASE("settings that were not applied, or of which nothing is known, are told", "[analysis]") {
  const auto kinds = [](const CellObservation& cell) {
    std::vector<ThreatKind> found;
    for (const ThreatRow& threat :
         setting_threats(test::make_observation({cell}, Scaling::kStrong))) {
      found.push_back(threat.kind);
    }
    return found;
  };

  CHECK(kinds(with_setting("4", 1.0, 0.0)) == std::vector{ThreatKind::kUnappliedSettings});
  CHECK(kinds(with_setting("4", 1.0, std::nullopt)) ==
        std::vector{ThreatKind::kUnconfirmedSettings});
  CHECK(kinds(with_setting("4", 1.0, 1.0)).empty());
  CHECK(kinds(with_setting("default", 1.0, std::nullopt)).empty());

  const std::vector<ThreatRow> both = setting_threats(test::make_observation(
      {with_setting("4", 1.0, 0.0), with_setting("4", 2.0, 0.0)}, Scaling::kStrong));
  REQUIRE(both.size() == 1);
  CHECK_THAT(both[0].finding, Catch::Contains(" overridden in 2 cells (first: "));
  CHECK_THAT(
      both[0].finding,
      Catch::Matches(
          ".* what was found instead, of Open MPI `scalestudy logs \\d+ --stream protocol`\\."));

  CellObservation two = with_setting("4", 1.0, 0.0);
  two.row.parameters.push_back({"env.NCCL_ALGO", "Tree", ValueKind::kText, false});
  for (TrialObservation& trial : two.trials) {
    trial.settings["NCCL_ALGO"] = 0.0;
  }
  CHECK_THAT(setting_threats(test::make_observation({two}, Scaling::kStrong)).at(0).finding,
             Catch::Contains("env.NCCL_ALGO=Tree, env." + kAlgorithm + "=4 overridden in "));
}
