// A synthetic machine whose speedup, overhead and break-even are known.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "harness/analysis/analyse.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/stored_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::make_cell;
using test::make_control;
using test::StoredStudy;

namespace {

// A step takes 2 ms, 40 us a sample on each device, and 3 ms of communication with two devices.
// Speedup (2 + 0.04 b) / (5 + 0.02 b) in ms crosses 1 at b = 150.
constexpr double kFixed_s = 2e-3;
constexpr double kSample_s = 40e-6;
constexpr double kCommunication_s = 3e-3;
constexpr double kBreakEven = 150.0;

double true_step_s(const CellRow& cell) {
  const double compute_s = kFixed_s + kSample_s * static_cast<double>(*cell.batch_per_device);
  return compute_s +
         (cell.devices > 1 && cell.role == CellRole::kMeasured ? kCommunication_s : 0.0);
}

// mt19937_64 is the same everywhere, normal_distribution is not: Box-Muller by hand.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : engine_(seed) {}

  // exp of a normal value with that standard deviation.
  double factor(double sd) {
    const double u = (static_cast<double>(engine_() >> 11U) + 0.5) * 0x1p-53;
    const double v = (static_cast<double>(engine_() >> 11U) + 0.5) * 0x1p-53;
    return std::exp(sd * std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v));
  }

 private:
  std::mt19937_64 engine_;
};

// Every batch with one and two devices, each pair of devices without communication, and the first
// baseline under a second name.
std::vector<CellRow> make_cells(const std::vector<std::int64_t>& batches) {
  std::vector<CellRow> cells;
  for (const std::int64_t batch : batches) {
    cells.push_back(make_cell(0, 1, batch));
    cells.push_back(make_cell(0, 2, batch));
    cells.push_back(make_control(0, cells.back(), CellRole::kNoop));
  }
  cells.push_back(make_control(0, cells.front(), CellRole::kAa));
  return cells;
}

// Blocks differ by 5 %, trials by 0.7 %, steps by 3 %.
StoredStudy make_world(const std::vector<CellRow>& cells, std::int64_t blocks, int steps) {
  StoredStudy stored(Scaling::kStrong, cells, blocks);
  Noise noise(20261121);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const double block_factor = noise.factor(0.05);
    for (const CellRow& cell : cells) {
      const double trial_s = true_step_s(cell) * block_factor * noise.factor(0.007);
      std::vector<double> values;
      for (int step = 0; step < steps; ++step) {
        values.push_back(trial_s * noise.factor(0.03));
      }
      stored.finish(
          {.cell = cell.hash, .block = block, .series = {test::step_times(std::move(values), 0)}});
    }
  }
  return stored;
}

Study world_study() {
  Study study;
  study.workload = Workload::kTrain;
  study.analysis.thresholds = {{.metric = "speedup", .level = 1.0, .along = "batch_global"}};
  study.analysis.laws = {Law::kAmdahl};
  study.cost = Cost{.price = {.per_device_hour = 3.0}, .currency = "USD"};
  Target pays;
  pays.name = "second device pays";
  pays.metric = "speedup";
  pays.where = {{"devices", std::int64_t{2}}, {"batch_global", std::int64_t{1024}}};
  pays.at_least = 1.2;
  study.analysis.targets = {pays};
  return study;
}

const std::vector<std::int64_t> kBatches = {32, 64, 128, 256, 512, 1024};

}  // namespace

TEST_CASE("the truth lies in every interval of a known world", "[analysis]") {
  const std::vector<CellRow> cells = make_cells(kBatches);
  const StoredStudy world = make_world(cells, 10, 100);
  const Results results = analyse(world.store(), world.study_id(), world_study());

  for (const CellRow& cell : cells) {
    if (cell.role != CellRole::kMeasured || cell.devices != 2) {
      continue;
    }
    const double alone_s = kFixed_s + kSample_s * static_cast<double>(*cell.batch_global);
    const double speedup = alone_s / true_step_s(cell);
    const double overhead = kCommunication_s / true_step_s(cell);
    for (const ComparisonRow& row : results.comparisons) {
      if (row.cell_id != world.cell_id(cell.hash)) {
        continue;
      }
      INFO(row.finding);
      const double truth = row.quantity == "speedup"      ? speedup
                           : row.quantity == "efficiency" ? speedup / 2.0
                                                          : overhead;
      CHECK(*row.lo < truth);
      CHECK(truth < *row.hi);
      CHECK(row.method == RatioMethod::kPaired);
      // Pairing takes the 5 % between blocks out: what is left is 1 % a pair, +/- 0.7 % of ten.
      CHECK(*row.hi - *row.lo < 0.04);
    }
  }
}

TEST_CASE("the break-even of a known world is bracketed and covered", "[analysis]") {
  const StoredStudy world = make_world(make_cells(kBatches), 10, 100);
  const Results results = analyse(world.store(), world.study_id(), world_study());

  REQUIRE(results.thresholds.size() == 1);
  const ThresholdRow& row = results.thresholds[0];
  INFO(row.finding);
  CHECK(row.status == RowStatus::kCrossed);
  CHECK(row.bracket_lo == 128.0);
  CHECK(row.bracket_hi == 256.0);
  CHECK(*row.lo < kBreakEven);
  CHECK(kBreakEven < *row.hi);
}

TEST_CASE("verdicts of a known world are right", "[analysis]") {
  const StoredStudy world = make_world(make_cells(kBatches), 10, 100);
  const Results results = analyse(world.store(), world.study_id(), world_study());

  for (const ComparisonRow& row : results.comparisons) {
    INFO(row.finding);
    if (row.quantity == "aa") {
      CHECK(row.verdict == Verdict::kEquivalent);
    } else if (row.quantity == "speedup") {
      const bool pays = row.cell_id >= world.cell_id("d2b256");
      CHECK(row.verdict == (pays ? Verdict::kFaster : Verdict::kSlower));
    } else {
      CHECK(row.verdict == Verdict::kSlower);
    }
  }
  CHECK(results.targets.at(0).verdict == TargetVerdict::kMet);  // true speedup 42.96 / 25.48 = 1.69
  CHECK(results.laws.front().status ==
        RowStatus::kSerialAboveOne);  // batch 32: two devices are slower
  CHECK(std::ranges::count(results.laws, RowStatus::kUntested, &LawRow::status) > 0);
}

TEST_CASE("the same store gives the same results", "[analysis]") {
  const StoredStudy world = make_world(make_cells({32, 256}), 6, 20);

  const Results first = analyse(world.store(), world.study_id(), world_study());
  const Results second = analyse(world.store(), world.study_id(), world_study());

  REQUIRE(first.estimates.size() == second.estimates.size());
  for (std::size_t i = 0; i < first.estimates.size(); ++i) {
    CHECK(first.estimates[i].value == second.estimates[i].value);
    CHECK(first.estimates[i].lo == second.estimates[i].lo);
    CHECK(first.estimates[i].metric == second.estimates[i].metric);
  }
  REQUIRE(first.comparisons.size() == second.comparisons.size());
  for (std::size_t i = 0; i < first.comparisons.size(); ++i) {
    CHECK(first.comparisons[i].finding == second.comparisons[i].finding);
    CHECK(first.comparisons[i].p_adjusted == second.comparisons[i].p_adjusted);
  }
  REQUIRE(first.threats.size() == second.threats.size());
  for (std::size_t i = 0; i < first.threats.size(); ++i) {
    CHECK(first.threats[i].finding == second.threats[i].finding);
  }
  CHECK(first.flags.size() == second.flags.size());
}
