// Devices that are equal and devices that are not, by the control device_match.
#include "harness/analysis/threats/threats.h"
#include "harness/study/parameters/parameter_rules.h"
#include "tests/analysis/compared_cells.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

const std::vector<double> kTimes = {1.000, 1.010, 0.990, 1.020, 0.980, 1.005, 0.995, 1.000};

// The cell of one device on another one, `slowness` times as long a step but for what the
// blocks, which both share, leave.
//   noise  of each block, up and down in turn
CellObservation on_device(int device, double slowness, double noise = 1e-3) {
  CellRow row = make_control(1 + device, make_cell(1, 1, 8), CellRole::kDeviceMatch);
  row.hash += std::to_string(device);
  row.parameters.push_back({kOnDevice, std::to_string(device), ValueKind::kInteger, true});
  std::vector<double> times;
  for (std::size_t i = 0; i < kTimes.size(); ++i) {
    times.push_back(kTimes[i] * slowness * (1.0 + (i % 2 == 0 ? noise : -noise)));
  }
  return observe_cell(row, times);
}

struct Found {
  std::vector<ComparisonRow> rows;
  std::string threat;  // of unequal devices, "" for none
};

Found find_unequal(const std::vector<double>& slowness,
                   const std::vector<CellObservation>& others = {}) {
  std::vector<CellObservation> cells = {observe_cell(make_cell(1, 1, 8), kTimes)};
  for (std::size_t i = 0; i < slowness.size(); ++i) {
    cells.push_back(on_device(static_cast<int>(i) + 1, slowness[i]));
  }
  cells.insert(cells.end(), others.begin(), others.end());
  const StudyObservation observation = make_observation(cells, Scaling::kStrong);
  Found found{compare_cells(observation, make_study()), ""};
  for (const ThreatRow& threat : consistency_threats(observation, found.rows)) {
    REQUIRE(threat.kind == ThreatKind::kUnequalDevices);
    CHECK(threat.severity == Severity::kWarning);
    found.threat += threat.finding;
  }
  return found;
}

}  // namespace

TEST_CASE("a device that is slower than device 0 is found and named, an equal one is not",
          "[analysis]") {
  const Found found = find_unequal({1.0, 1.25, 1.0});

  // Throughput 1/1.25 of device 0's, and its own.
  const ComparisonRow slow = find(found.rows, "device_match", 3);
  CHECK(slow.baseline_cell_id == 1);
  CHECK(*slow.value == Approx(0.8).margin(1e-3));
  CHECK(*slow.lo < 0.8);
  CHECK(*slow.hi > 0.8);
  CHECK(slow.verdict == Verdict::kSlower);
  CHECK_THAT(slow.finding,
             Contains("on device 2, control device_match: 0.8") &&
                 Contains(" the throughput of device 0 (paired"));
  CHECK(find(found.rows, "device_match", 2).verdict == Verdict::kEquivalent);
  CHECK(find(found.rows, "device_match", 4).verdict == Verdict::kEquivalent);
  CHECK_THAT(found.threat,
             Contains("is 0.8") && Contains("the lowest is on device 2.") &&
                 !Contains("on device 1") && !Contains("on device 3"));
}

TEST_CASE("a slow device 0 is named by all others", "[analysis]") {
  CHECK_THAT(find_unequal({0.8, 0.8}).threat,
             Contains("1.250x [1.249, 1.251] on device 1") &&
                 Contains("1.250x [1.249, 1.251] on device 2") &&
                 Contains("the lowest is on device 0."));
}

TEST_CASE("the slowest device named is one that was shown to be slow", "[analysis]") {
  // 0.71 of device 0's throughput by its mean alone: every second block took 60 % more or less.
  const Found found = find_unequal({1.25}, {on_device(2, 1.4, 0.6)});

  const ComparisonRow noisy = find(found.rows, "device_match", 3);
  CHECK(*noisy.value < 0.75);
  CHECK(noisy.verdict == Verdict::kNoDetectableDifference);
  CHECK_THAT(found.threat, Contains("the lowest is on device 1.") && !Contains("device 2"));
}

TEST_CASE("a difference within the margin is no warning, however well it is resolved",
          "[analysis]") {
  // 1 % of 2 %, resolved to 0.1 %.
  const Found within = find_unequal({1.01});
  CHECK(*find(within.rows, "device_match", 2).hi < 1.0);
  CHECK(within.threat.empty());
  // 2.04 %: slower for certain, beyond the margin perhaps.
  const Found near = find_unequal({1.0204});
  CHECK(find(near.rows, "device_match", 2).verdict == Verdict::kSlower);
  CHECK(near.threat.empty());
  CHECK_FALSE(find_unequal({1.03}).threat.empty());
}
