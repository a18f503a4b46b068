// Where the faster of two settings changes.
#include "harness/analysis/thresholds/thresholds.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// A cell of a setting, whose baseline has 0.
CellRow cell_of(std::int64_t id, std::int64_t devices, std::int64_t setting) {
  const auto hash = [&](std::int64_t other) {
    return "d" + std::to_string(devices) + "s" + std::to_string(other);
  };
  CellRow cell = test::make_cell(id, devices, 64 * devices);
  cell.hash = hash(setting);
  cell.baseline = hash(0);
  cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true},
                     {"env.NVLS", std::to_string(setting), ValueKind::kInteger, true}};
  return cell;
}

// One number of devices with the step times of three settings, s.
struct Tested {
  std::int64_t devices = 0;
  std::vector<double> times_s;
};

std::vector<ThresholdRow> find(const std::vector<Tested>& all, const Study& study) {
  std::vector<CellObservation> cells;
  for (const Tested& tested : all) {
    for (std::size_t setting = 0; setting < tested.times_s.size(); ++setting) {
      const double t = tested.times_s[setting];
      const double e = setting == 0 ? 0.001 : -0.0013;  // pairs vary, too
      cells.push_back(test::observe_cell(
          cell_of(static_cast<std::int64_t>(cells.size()) + 1,
                  tested.devices,
                  static_cast<std::int64_t>(setting)),
          {t, t * (1.0 + e), t * (1.0 - e), t * (1.0 + 2.0 * e), t * (1.0 - 2.0 * e), t}));
    }
  }
  return find_thresholds(test::make_observation(std::move(cells), Scaling::kWeak), study);
}

Study study_between(std::int64_t other, const std::string& metric = "speedup") {
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.baseline = {{"env.NVLS", std::int64_t{0}}};
  study.analysis.thresholds = {
      {.metric = metric,
       .along = "devices",
       .between = BetweenRequest{.name = "env.NVLS", .base = std::int64_t{0}, .other = other}}};
  return study;
}

TEST_CASE("a switch point is of the two settings that it names, by their values", "[analysis]") {
  const std::vector<Tested> tested{
      {2, {1.0, 1.2, 0.5}}, {4, {1.0, 1.1, 0.5}}, {8, {1.0, 0.9, 0.5}}};

  const auto rows = find(tested, study_between(1));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].status == RowStatus::kCrossed);
  CHECK(rows[0].cells == CellIds{2, 5, 8});
  CHECK(rows[0].finding ==
        "env.NVLS=0 is faster up to 4 devices, env.NVLS=1 from 8 devices on (resolved at 95 %)");

  const auto always = find(tested, study_between(2));
  REQUIRE(always.size() == 1);
  CHECK(always[0].cells == CellIds{3, 6, 9});
  CHECK_THAT(always[0].finding,
             StartsWith("env.NVLS=2 is faster than env.NVLS=0 at all 3 tested values of devices"));
}

TEST_CASE("a switch the other way is one as well, and equal settings have none", "[analysis]") {
  CHECK_THAT(find({{2, {1.0, 0.8}}, {4, {1.0, 1.1}}}, study_between(1)).at(0).finding,
             StartsWith("env.NVLS=1 is faster up to 2 devices, env.NVLS=0 from 4 devices on"));
  CHECK_THAT(find({{2, {1.0, 1.3}}, {4, {1.0, 1.1}}}, study_between(1)).at(0).finding,
             StartsWith("env.NVLS=0 is faster than env.NVLS=1 at both tested values of devices"));
  CHECK_THAT(find({{2, {1.0, 1.0}}, {4, {1.0, 1.0}}}, study_between(1)).at(0).finding,
             Contains("do not differ with certainty at both tested values of devices"));
}

TEST_CASE("of a metric that is better when lower, the setting with the smaller value is better",
          "[analysis]") {
  Study study = study_between(1, "step_time_s");
  study.analysis.metrics = {{.metric = "step_time_s", .is_higher_better = false}};

  CHECK_THAT(find({{2, {1.0, 0.8}}, {4, {1.0, 1.1}}}, study).at(0).finding,
             StartsWith("env.NVLS=1 is better by step time up to 2 devices, env.NVLS=0 from 4 "
                        "devices on"));
}

}  // namespace
