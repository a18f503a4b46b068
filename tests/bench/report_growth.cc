// Analysis and report of 48, 192 and 768 cells of 3 trials: how the time grows with them. Also the
// search for cells that load met too often, among 10,000 of 5 trials, beside the plain permutation
// test of the same trials.
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/threats/load_crowding.h"
#include "tests/report/growing_study.h"
#include "tests/stats/simulation/plain_shares.h"
#include "tests/support/random.h"

namespace {

using namespace scalestudy;  // NOLINT(google-build-using-namespace): one small program

constexpr std::size_t kCells = 10000;
constexpr std::int64_t kBlocks = 5;

// Load met trials with that chance, and with four times that (at most 1) in one cell of eight:
// taking three cells out leaves a significant difference.
StudyObservation crowded_cells(double chance) {
  test::Random random(20261127);
  StudyObservation observation;
  for (std::size_t i = 0; i < kCells; ++i) {
    CellObservation cell;
    cell.row.id = static_cast<std::int64_t>(i);
    cell.row.devices = 1 + static_cast<std::int64_t>(i % 2);
    const double own = i % 8 == 0 ? 4.0 * chance : chance;
    for (std::int64_t block = 0; block < kBlocks; ++block) {
      TrialObservation trial;
      trial.row.block = block;
      trial.row.foreign_load = random.uniform() < own ? 1.0 : 0.0;
      cell.trials.push_back(std::move(trial));
    }
    observation.cells.push_back(std::move(cell));
  }
  return observation;
}

bool is_loaded(const TrialObservation& trial) {
  return *trial.row.foreign_load > 0.0;
}

// CPU seconds of two plain tests, of cells and of numbers of devices.
double plain_cpu_s(const StudyObservation& observation) {
  test::Strata cells(kBlocks);
  test::Strata devices(kBlocks);
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      const auto block = static_cast<std::size_t>(trial.row.block);
      cells[block].push_back(
          {.group = static_cast<std::size_t>(cell.row.id), .is_marked = is_loaded(trial)});
      devices[block].push_back(
          {.group = static_cast<std::size_t>(cell.row.devices - 1), .is_marked = is_loaded(trial)});
    }
  }
  return test::seconds_of([&] {
           test::plain_p(cells, kCells, 1);
           test::plain_p(devices, 2, 1);
         })
      .cpu_s;
}

void find_crowded() {
  const Study study = test::declare(test::growing_text(1));
  for (const double chance : {0.01, 0.1, 0.4}) {
    const StudyObservation observation = crowded_cells(chance);
    Crowding found;
    const double ours_s =
        test::seconds_of([&] {
          found = find_crowding(observation, study, [](const TrialObservation& trial) {
            return is_loaded(trial) ? LoadReading::kLoaded : LoadReading::kQuiet;
          });
        }).cpu_s;
    const auto rounds = static_cast<double>(found.cells.size() + 1);
    const double plain_s = rounds * plain_cpu_s(observation);
    fmt::print(
        "report_growth: {} cells of {} trials, loaded with a chance of {} %: search for crowded "
        "cells in {} rounds "
        "{:.2f} s of CPU, plain tests in as many {:.1f} s; {:.0f}x\n",
        kCells,
        kBlocks,
        100.0 * chance,
        rounds,
        ours_s,
        plain_s,
        plain_s / ours_s);
  }
}

}  // namespace

int main() {
  for (const int learning_rates : {2, 8, 32}) {
    test::GrowingStudy growing(learning_rates);
    const test::Seconds analysis = growing.analyse_again();
    const test::Seconds report = growing.report();
    fmt::print("report_growth: {} cells: analysis {:.3f} s, report {:.3f} s, {:.3f} s of CPU\n",
               growing.cells,
               analysis.wall_s,
               report.wall_s,
               report.cpu_s);
  }
  find_crowded();
}
