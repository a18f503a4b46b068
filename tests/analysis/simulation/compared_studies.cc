#include "tests/analysis/simulation/compared_studies.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/targets.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/observe/flags.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/simulation/said_rows.h"

namespace scalestudy::test {
namespace {

constexpr double kTrialSd = 0.01;
constexpr std::size_t kBlocks = 10;

using test::in_session;
using test::make_cell;
using test::make_observation;
using test::observe_cell;

std::vector<double> equal_trials(std::size_t count, Noise& noise) {
  std::vector<double> times_s(count);
  for (double& time_s : times_s) {
    time_s = noise.factor(kTrialSd);
  }
  return times_s;
}

ComparisonRow speedup_of(const CellObservation& base, const CellObservation& cell) {
  return compare_cells(make_observation({base, cell}, Scaling::kStrong), {}).at(0);
}

bool says(const std::string& finding, const std::string& what) {
  return finding.find(what) != std::string::npos;
}

CellObservation simulate_sessions(std::int64_t devices, std::size_t early, Noise& noise) {
  constexpr double apart = 1.05;
  std::vector<double> times_s = equal_trials(kBlocks, noise);
  for (std::size_t block = early; block < kBlocks; ++block) {
    times_s[block] *= apart;
  }
  return in_session(in_session(observe_cell(make_cell(devices, devices, 8), times_s), 1), 2, early);
}

double simulate_launch(Launches launches, Noise& noise) {
  switch (launches) {
    case Launches::kNormal30:
      return std::max(0.01, 1.0 + 0.3 * noise.normal());
    case Launches::kSlow:
      return (1.0 + 0.01 * noise.normal()) * (noise.uniform() < 0.1 ? 3.0 : 1.0) / 1.2;
    default:
      break;
  }
  constexpr std::pair<Launches, Scenario> ordinary[] = {
      {Launches::kNoTrialEffect, Scenario::kNoTrialEffect},
      {Launches::kTrial1, Scenario::kTrial1},
      {Launches::kTrial3, Scenario::kTrial3},
      {Launches::kAutocorrelated, Scenario::kAutocorrelated},
      {Launches::kLognormal15, Scenario::kLognormal15}};
  const auto* found = std::ranges::find(ordinary, launches, &std::pair<Launches, Scenario>::first);
  return simulate_cell(found->second, 1, noise).means.front();
}

}  // namespace

VerdictTally run_shared_sessions(std::size_t early,
                                 std::size_t early_cell,
                                 std::size_t replicates,
                                 std::uint64_t seed) {
  Noise noise(seed);
  VerdictTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const CellObservation base = simulate_sessions(1, early, noise);
    const ComparisonRow row = speedup_of(base, simulate_sessions(2, early_cell, noise));
    tally.called.add(is_called(row));
    tally.told.add(says(row.finding, "within these 2 sessions") &&
                   says(row.finding, "shares of sessions differ") == (early != early_cell));
  }
  return tally;
}

VerdictTally run_lost_trials(std::size_t common, std::size_t replicates, std::uint64_t seed) {
  constexpr double drift = 0.10;
  Noise noise(seed);
  VerdictTally tally;
  const std::size_t kept = (kBlocks + common) / 2;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<CellObservation> cells;
    for (const std::int64_t devices : {1, 2}) {
      std::vector<double> times_s = equal_trials(kBlocks, noise);
      for (std::size_t block = 0; block < kBlocks; ++block) {
        times_s[block] *= 1.0 + drift * static_cast<double>(block) / static_cast<double>(kBlocks);
      }
      cells.push_back(observe_cell(make_cell(devices, devices, 8), times_s));
    }
    cells[0].trials.resize(kept);
    cells[1].trials.erase(
        cells[1].trials.begin(),
        cells[1].trials.end() - static_cast<std::ptrdiff_t>(kBlocks + common - kept));
    const ComparisonRow row = speedup_of(cells[0], cells[1]);
    tally.called.add(is_called(row));
    tally.told.add(says(row.finding, "left out without a partner"));
  }
  return tally;
}

SessionTally run_sessions(std::size_t sessions,
                          std::size_t blocks,
                          std::size_t replicates,
                          std::uint64_t seed) {
  constexpr double session_sd = 0.05 / 1.4142135623730951;
  Noise noise(seed);
  SessionTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<double> times_s;
    double level_sum = 0.0;
    for (std::size_t session = 0; session < sessions; ++session) {
      const double level = 1.0 + session_sd * noise.normal();
      level_sum += level;
      for (std::size_t block = 0; block < blocks; ++block) {
        times_s.push_back(level + kTrialSd * noise.normal());
      }
    }
    CellObservation cell = observe_cell(make_cell(1, 1, 8), times_s);
    for (std::size_t i = 0; i < cell.trials.size(); ++i) {
      cell.trials[i].row.session_id = static_cast<std::int64_t>(i / blocks) + 1;
    }
    const StudyObservation observation = make_observation({std::move(cell)}, Scaling::kStrong);
    const EstimateRow row = estimate_cells(observation, {}).at(0);
    tally.within.add_interval(*row.lo, *row.hi, level_sum / static_cast<double>(sessions));
    tally.beyond.add_interval(*row.lo, *row.hi, 1.0);
    const std::vector<ThreatRow> threats = session_threats(observation, {}, {});
    tally.told.add(!threats.empty() && says(threats.front().finding, "hold within these"));
  }
  return tally;
}

Tally run_session_verdicts(std::size_t sessions, std::size_t replicates, std::uint64_t seed) {
  constexpr std::size_t blocks = 3;
  constexpr double session_sd = 0.01;
  Noise noise(seed);
  Tally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<CellObservation> cells;
    for (const std::int64_t devices : {1, 2}) {
      std::vector<double> times_s;
      for (std::size_t session = 0; session < sessions; ++session) {
        const double level = noise.factor(session_sd);
        for (const double time_s : equal_trials(blocks, noise)) {
          times_s.push_back(level * time_s);
        }
      }
      cells.push_back(observe_cell(make_cell(devices, devices, 8), times_s));
      for (std::size_t i = 0; i < times_s.size(); ++i) {
        cells.back().trials[i].row.session_id = static_cast<std::int64_t>(i / blocks) + 1;
      }
    }
    tally.add(is_called(speedup_of(cells[0], cells[1])));
  }
  return tally;
}

std::string_view name_of(Launches launches) {
  switch (launches) {
    case Launches::kNoTrialEffect:
      return name_of(Scenario::kNoTrialEffect);
    case Launches::kTrial1:
      return name_of(Scenario::kTrial1);
    case Launches::kTrial3:
      return name_of(Scenario::kTrial3);
    case Launches::kAutocorrelated:
      return name_of(Scenario::kAutocorrelated);
    case Launches::kLognormal15:
      return name_of(Scenario::kLognormal15);
    case Launches::kNormal30:
      return "trial 30 %";
    case Launches::kSlow:
      return "10 % of trials x3";
  }
  throw std::logic_error("name_of: not a Launches");
}

MeansTally run_speedups(Launches base,
                        Launches cell,
                        std::size_t blocks,
                        double drift,
                        std::size_t replicates,
                        std::uint64_t seed) {
  constexpr double speedup = 1.25;
  Noise noise(seed);
  MeansTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<double> base_s(blocks);
    std::vector<double> cell_s(blocks);
    for (std::size_t k = 0; k < blocks; ++k) {
      // A block's two trials run one after the other, in random order, half a block apart.
      const bool is_base_first = noise.uniform() < 0.5;
      const auto at = [&](bool is_first) {
        const double position = static_cast<double>(k) + (is_first ? 0.0 : 0.5);
        return 1.0 + drift * position / static_cast<double>(blocks);
      };
      base_s[k] = speedup * simulate_launch(base, noise) * at(is_base_first);
      cell_s[k] = simulate_launch(cell, noise) * at(!is_base_first);
    }
    CellObservation observed = observe_cell(make_cell(2, 2, 8), cell_s);
    flag_trials({}, observed);
    const ComparisonRow row = speedup_of(observe_cell(make_cell(1, 1, 8), base_s), observed);
    tally.covered.add_interval(*row.lo, *row.hi, speedup);
    const auto [least, most] = std::ranges::minmax(cell_s);
    if (cell == Launches::kSlow && most > 2.0 * least) {
      tally.told.add(says(row.finding, "no method covers that"));
    }
  }
  return tally;
}

TargetTally run_targets(std::size_t replicates, std::uint64_t seed) {
  constexpr std::int64_t cell_count = 7;
  Study study;
  study.workload = Workload::kTrain;
  Target pays;
  pays.name = "pays";
  pays.metric = "speedup";
  pays.at_least = 1.0;
  study.analysis.targets = {pays};
  Noise noise(seed);
  TargetTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    std::vector<CellObservation> cells = {
        observe_cell(make_cell(1, 1, 8), equal_trials(kBlocks, noise))};
    for (std::int64_t i = 0; i < cell_count; ++i) {
      cells.push_back(observe_cell(make_cell(2 + i, 2 + i, 8), equal_trials(kBlocks, noise)));
    }
    const StudyObservation observation = make_observation(std::move(cells), Scaling::kStrong);
    Results results;
    results.comparisons = compare_cells(observation, study);
    results.targets = judge_targets(observation, study, results);
    bool is_some_met = false;
    for (const TargetResultRow& row : results.targets) {
      if (!row.cell_id || row.verdict == TargetVerdict::kUndecided) {
        continue;
      }
      is_some_met = is_some_met || row.verdict == TargetVerdict::kMet;
      const auto compared =
          std::ranges::find(results.comparisons, *row.cell_id, &ComparisonRow::cell_id);
      tally.disagrees.add(compared->verdict == Verdict::kNoDetectableDifference);
    }
    tally.cell_met.add(is_some_met);
    tally.missed.add(results.targets.front().verdict == TargetVerdict::kMissed);
  }
  return tally;
}

}  // namespace scalestudy::test
