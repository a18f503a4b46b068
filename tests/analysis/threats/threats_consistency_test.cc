// Threats from results that do not fit together.
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using Catch::Contains;
using test::has_numbers;
using test::make_cell;
using test::observe_cell;

namespace {

std::vector<ThreatRow> consistency_threats_of(const ComparisonRow& row,
                                              bool oversubscribed = false) {
  const CellObservation base = observe_cell(make_cell(1, 1, 8), {2.0, 2.2});
  CellObservation cell = observe_cell(make_cell(2, 2, 8), {1.0, 1.1});
  cell.row.oversubscribed = oversubscribed;
  return consistency_threats(test::make_observation({base, cell}, Scaling::kStrong), {row});
}

ComparisonRow make_row(const std::string& quantity, double value, double lo, double hi) {
  ComparisonRow row;
  row.cell_id = 2;
  row.baseline_cell_id = 1;
  row.quantity = quantity;
  row.verdict = lo > 1.0 ? Verdict::kFaster : Verdict::kNoDetectableDifference;
  row.value = value;
  row.lo = lo;
  row.hi = hi;
  return row;
}

CellObservation with_phases(double step_s, double forward_s, double backward_s) {
  CellObservation cell = observe_cell(make_cell(1, 1, 8), {step_s});
  cell.trials[0].metrics["forward_time_s"] = {.steps = 1, .mean = forward_s};
  cell.trials[0].metrics["backward_time_s"] = {.steps = 1, .mean = backward_s};
  return cell;
}

std::vector<ThreatRow> phase_threats(const CellObservation& cell) {
  return consistency_threats(test::make_observation({cell}, Scaling::kStrong), {});
}

}  // namespace

TEST_CASE("efficiency above 102 percent is suspicious", "[analysis]") {
  CHECK(consistency_threats_of(make_row("efficiency", 1.015, 1.01, 1.02)).empty());

  const auto rows = consistency_threats_of(make_row("efficiency", 1.10, 1.05, 1.15));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kSuperlinear);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(has_numbers(rows[0].finding, {110.0, 105.0, 115.0}));

  // Linear scaling is above 102 % by chance in many a study: only a verdict is suspicious.
  CHECK(consistency_threats_of(make_row("efficiency", 1.10, 0.95, 1.25)).empty());
  CHECK(consistency_threats_of(make_row("efficiency", 1.10, 1.05, 1.15), true).empty());
  CHECK(consistency_threats_of(make_row("speedup", 1.10, 1.05, 1.15)).empty());
}

TEST_CASE("cells that differ in more than their devices get a note, not a warning", "[analysis]") {
  const auto threats = [](const std::string& memory, std::int64_t batch = 16) {
    CellObservation base = observe_cell(make_cell(1, 1, 8), {2.0, 2.2});
    CellObservation cell = observe_cell(make_cell(2, 2, batch), {1.0, 1.1});  // 16: weak scaling
    base.row.parameters.push_back({"memory_gb", "16", ValueKind::kInteger, true});
    cell.row.parameters.push_back({"memory_gb", memory, ValueKind::kInteger, true});
    return consistency_threats(test::make_observation({base, cell}, Scaling::kWeak),
                               {make_row("efficiency", 1.10, 1.05, 1.15)});
  };
  REQUIRE(threats("16").size() == 1);
  CHECK(threats("16")[0].severity == Severity::kWarning);
  for (const auto& rows : {threats("32"), threats("16", 32)}) {  // a larger batch on each device
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].severity == Severity::kNote);
    CHECK(has_numbers(rows[0].finding, {110.0, 105.0, 115.0}));
    CHECK_THAT(rows[0].finding, Contains("The base differs in more than devices"));
  }
}

TEST_CASE("a control called faster or slower has failed", "[analysis]") {
  ComparisonRow row = make_row("aa", 1.10, 1.05, 1.15);
  row.verdict = Verdict::kEquivalent;
  CHECK(consistency_threats_of(row).empty());

  row.verdict = Verdict::kFaster;
  REQUIRE(consistency_threats_of(row).size() == 1);
  CHECK(consistency_threats_of(row)[0].kind == ThreatKind::kControlFailed);
  CHECK(has_numbers(consistency_threats_of(row)[0].finding, {1.1, 1.05, 1.15}));
}

TEST_CASE("phases that leave more than 2 percent of the step are reported", "[analysis]") {
  CHECK(phase_threats(with_phases(1.0, 0.5, 0.485)).empty());  // 1.5 %

  const auto rows = phase_threats(with_phases(1.0, 0.5, 0.47));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kPhases);
  CHECK(has_numbers(rows[0].finding, {1, 1, 3.0, 30}));  // cells, of all; %, ms
}

TEST_CASE("phases that exceed the step are reported too", "[analysis]") {
  const std::string finding = phase_threats(with_phases(1.0, 0.6, 0.5)).at(0).finding;
  CHECK_THAT(
      finding,
      Contains("in 1 of 1 cell; at worst they exceed it by 10.0 % of the step (100 ms), at ") &&
          !Contains("belongs to no phase"));
}

TEST_CASE("a few microseconds between phases are no gap", "[analysis]") {
  CHECK(phase_threats(with_phases(200e-6, 100e-6, 85e-6)).empty());  // 15 us: 7.5 % of a short step
}

TEST_CASE("without phases nothing is checked", "[analysis]") {
  CHECK(phase_threats(observe_cell(make_cell(1, 1, 8), {1.0})).empty());
}

TEST_CASE("a part of a step that is longer than the step is reported", "[analysis]") {
  const auto told = [](const CellObservation& cell,
                       const std::string& metric,
                       double value,
                       std::optional<double> lo,
                       Variant variant = Variant::kAll) {
    EstimateRow row;
    row.cell_id = 1;
    row.metric = metric;
    row.unit = "1";
    row.variant = variant;
    row.value = value;
    row.lo = lo;
    row.hi = lo ? std::optional(2.0 * value - *lo) : std::nullopt;
    return part_threats(test::make_observation({cell}, Scaling::kStrong), {row});
  };
  const CellObservation cell = observe_cell(make_cell(1, 4, 64), {0.04, 0.04});
  const std::string share = "exposed_communication_share";

  const auto rows = told(cell, share, 1.25, 1.242);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kPhases);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK(rows[0].finding ==
        "A part of the step is longer than the step, which is impossible: 4 devices, batch 64: "
        "exposed communication share 125.0 % [124.2, 125.8]. The unit of a rule is wrong, or the "
        "time is of several steps or ranks. Targets on such a part are undecided.");
  CHECK(told(cell, "data_share", 1.25, std::nullopt).size() == 1);  // a single trial
  CHECK(told(cell, share, 1.05, 0.98).empty());
  CHECK(told(cell, share, 1.015, 1.014).empty());  // rounding
  CHECK(told(cell, share, 1.25, 1.242, Variant::kUnflagged).empty());
  CHECK(told(cell, "gpu_busy_share", 1.25, 1.242).empty());             // no part of the step
  CHECK(told(with_phases(1.0, 0.6, 0.5), share, 1.25, 1.242).empty());  // its phases tell it
}
