// The serial fraction of Amdahl's law: where it is from, and where it ends.
#include <algorithm>
#include <cmath>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/laws/laws.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/found_rows.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::find_parameter;
using test::make_cell;
using test::observe_cell;

namespace {

StudyObservation observe(const std::vector<double>& one, const std::vector<double>& two) {
  return test::make_observation(
      {observe_cell(make_cell(1, 1, 64), one), observe_cell(make_cell(2, 2, 64), two)},
      Scaling::kStrong);
}

Study amdahl_study(OrderDesign design) {
  Study study;
  study.workload = Workload::kTrain;
  study.order.design = design;
  study.analysis.laws = {Law::kAmdahl};
  return study;
}

// Of the times of trials of no blocks on one device and on two.
std::vector<LawRow> fit_two_counts(const std::vector<double>& one, const std::vector<double>& two) {
  return fit_laws(observe(one, two), amdahl_study(OrderDesign::kBatch));
}

bool has_values(const std::vector<LawRow>& rows) {
  return std::ranges::any_of(rows, [](const LawRow& row) { return row.value.has_value(); });
}

}  // namespace

TEST_CASE("two device counts solve for the serial fraction and test nothing", "[analysis]") {
  const auto rows =
      fit_two_counts({2.02, 1.98, 2.04, 1.96}, {1.11, 1.09, 1.12, 1.08});  // (1 + s)/2 = 0.55

  CHECK(*find_parameter(rows, "serial_fraction").value == Approx(0.1).epsilon(1e-6));
  CHECK(find_parameter(rows, "serial_fraction").status == RowStatus::kUntested);
  CHECK_FALSE(find_parameter(rows, "lack_of_fit_p").value.has_value());
}

// S = 2/(1 + s), whether three blocks are compared as independent or five in pairs.
TEST_CASE("the serial fraction of two device counts is that of their speedup", "[analysis]") {
  const Study study = amdahl_study(OrderDesign::kBlocks);
  for (const std::size_t blocks : {3U, 5U}) {
    std::vector<double> one = {2.02, 1.96, 2.05, 1.99, 1.95};
    std::vector<double> two = {1.10, 1.32, 0.97, 1.25, 1.41};
    one.resize(blocks);
    two.resize(blocks);
    const StudyObservation observation = observe(one, two);
    const LawRow serial = find_parameter(fit_laws(observation, study), "serial_fraction");
    const auto comparisons = compare_cells(observation, study);
    const auto speedup = std::ranges::find(comparisons, "speedup", &ComparisonRow::quantity);

    CHECK(*serial.value == Approx(2.0 / *speedup->value - 1.0));
    CHECK(*serial.lo == Approx(std::max(0.0, 2.0 / *speedup->hi - 1.0)));
    CHECK(*serial.hi == Approx(std::min(1.0, 2.0 / *speedup->lo - 1.0)));
  }
}

TEST_CASE("more than linear scaling has no place in Amdahl's law", "[analysis]") {
  const auto rows = fit_two_counts({2.02, 1.98, 2.04, 1.96}, {0.91, 0.89, 0.92, 0.88});

  CHECK(find_parameter(rows, "serial_fraction").status == RowStatus::kSerialBelowZero);
  CHECK_FALSE(has_values(rows));
}

TEST_CASE("a serial fraction resolved above one is outside the law", "[analysis]") {
  const auto rows = fit_two_counts({2.00, 2.01, 1.99, 2.02, 1.98}, {3.00, 3.01, 2.99, 3.02, 2.98});

  CHECK(rows.front().status == RowStatus::kSerialAboveOne);
  CHECK_FALSE(has_values(rows));
}

TEST_CASE("a serial fraction beyond a bound that noise may have crossed ends there", "[analysis]") {
  const std::vector<double> one = {2.0, 2.4, 1.6, 2.2, 1.8};
  const LawRow below =
      find_parameter(fit_two_counts(one, {0.95, 0.8, 1.1, 0.9, 1.1}), "serial_fraction");
  CHECK(below.status == RowStatus::kSerialBelowZero);
  CHECK(*below.value == 0.0);
  CHECK(*below.lo == 0.0);
  CHECK(*below.hi > 0.1);
  const LawRow above =
      find_parameter(fit_two_counts(one, {2.3, 2.5, 1.7, 2.6, 1.9}), "serial_fraction");
  CHECK(above.status == RowStatus::kSerialAboveOne);
  CHECK(*above.value == 1.0);
  CHECK(*above.hi == 1.0);
  CHECK(*above.lo < 1.0);
}

TEST_CASE("from five sessions on a law is fitted to the means of sessions", "[analysis]") {
  const std::vector<std::int64_t> devices = {1, 2, 4, 8};
  // Relative to 1/10 + 9/10/devices: what a session adds to a cell, and its two blocks around it.
  const std::vector<std::vector<double>> added = {{0.02, -0.01, 0.00, -0.03, 0.02},
                                                  {-0.01, 0.03, -0.02, 0.01, -0.01},
                                                  {0.01, -0.02, 0.02, 0.00, -0.01},
                                                  {-0.02, 0.00, -0.01, 0.02, 0.03}};
  std::vector<CellObservation> in_sessions;
  std::vector<CellObservation> in_blocks;  // the means of the sessions
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::vector<double> all;
    std::vector<double> means;
    for (const double more : added[i]) {
      means.push_back((1.0 + more) * (0.1 + 0.9 / static_cast<double>(devices[i])));
      all.push_back(1.001 * means.back());
      all.push_back(0.999 * means.back());
    }
    const CellRow row = make_cell(static_cast<std::int64_t>(i) + 1, devices[i], 64);
    in_blocks.push_back(observe_cell(row, means));
    CellObservation cell = observe_cell(row, all);
    for (std::size_t j = 0; j < all.size(); ++j) {
      cell.trials[j].row.session_id = static_cast<std::int64_t>(j / 2) + 1;
    }
    in_sessions.push_back(std::move(cell));
  }
  // A sixth session, three times as slow, lacks the last cell: it is left out.
  for (std::size_t i = 0; i + 1 < in_sessions.size(); ++i) {
    TrialObservation trial = in_sessions[i].trials.back();
    trial.row.session_id = 6;
    trial.row.id += 1;
    trial.metrics[kStepTime].mean *= 3.0;
    in_sessions[i].trials.push_back(trial);
  }
  const auto fit = [](const std::vector<CellObservation>& cells, OrderDesign design) {
    Study study = amdahl_study(design);
    study.analysis.laws = {Law::kAmdahl, Law::kUsl};
    return fit_laws(test::make_observation(cells, Scaling::kStrong), study);
  };
  const auto expected = fit(in_blocks, OrderDesign::kBlocks);
  CHECK(find_parameter(expected, "serial_fraction").status == RowStatus::kOk);
  for (const OrderDesign design : {OrderDesign::kBlocks, OrderDesign::kBatch}) {
    const auto rows = fit(in_sessions, design);
    for (const char* parameter : {"serial_fraction", "sigma"}) {
      CHECK(*find_parameter(rows, parameter).lo ==
            Approx(*find_parameter(expected, parameter).lo).epsilon(1e-9));
      CHECK(*find_parameter(rows, parameter).hi ==
            Approx(*find_parameter(expected, parameter).hi).epsilon(1e-9));
    }
    CHECK(find_parameter(rows, "serial_fraction").n == 40);
    CHECK(find_parameter(rows, "serial_fraction").trials.size() == 40);
    CHECK(*find_parameter(rows, "lack_of_fit_p").value ==
          Approx(*find_parameter(expected, "lack_of_fit_p").value).epsilon(1e-9));
  }
  // Of four sessions each trial is a value.
  for (CellObservation& cell : in_sessions) {
    cell.trials.resize(8);
  }
  CHECK(find_parameter(fit(in_sessions, OrderDesign::kBlocks), "serial_fraction").n == 32);
}

TEST_CASE("blocks that lack a cell do not bend a law of sessions", "[analysis]") {
  // Each session gets 2 % slower from block to block, and its last five have no trial of 8 devices.
  std::vector<CellObservation> cells;
  for (const std::int64_t devices : {1, 2, 4, 8}) {
    std::vector<double> times_s;
    for (int i = 0; i < 50; ++i) {
      const auto noise = static_cast<double>((5 * i + 3 * devices) % 7 - 3);
      times_s.push_back((1.0 + 0.004 * noise) * std::pow(1.02, i % 10) *
                        (0.1 + 0.9 / static_cast<double>(devices)));
    }
    CellObservation cell = observe_cell(make_cell(devices, devices, 64), times_s);
    for (TrialObservation& trial : cell.trials) {
      trial.row.session_id = trial.row.block / 10 + 1;
    }
    std::erase_if(cell.trials, [&](const TrialObservation& trial) {
      return devices == 8 && trial.row.block % 10 >= 5;
    });
    cells.push_back(std::move(cell));
  }
  const auto rows =
      fit_laws(test::make_observation(cells, Scaling::kStrong), amdahl_study(OrderDesign::kBlocks));
  CHECK(find_parameter(rows, "serial_fraction").value.value_or(0.0) == Approx(0.1).epsilon(0.03));
  CHECK(find_parameter(rows, "serial_fraction").n == 175);
}
