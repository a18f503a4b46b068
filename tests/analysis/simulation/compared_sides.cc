#include "tests/analysis/simulation/compared_sides.h"

#include <utility>
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/studies/history.h"
#include "harness/analysis/studies/sides.h"
#include "stats/compare.h"
#include "tests/analysis/by_hand.h"

namespace scalestudy::test {
namespace {

constexpr std::size_t kTrials = 10;  // a session

std::vector<double> trial_times(
    std::size_t sessions, double session_sd, double trial_sd, double level, Noise& noise) {
  std::vector<double> times_s;
  for (std::size_t session = 0; session < sessions; ++session) {
    const double of_session = noise.factor(session_sd);
    for (std::size_t trial = 0; trial < kTrials; ++trial) {
      times_s.push_back(level * of_session * noise.factor(trial_sd));
    }
  }
  return times_s;
}

Side make_side(const std::vector<double>& times_s) {
  Side side;
  side.observation =
      make_observation({observe_cell(make_cell(1, 1, 8), times_s)}, Scaling::kStrong);
  std::vector<TrialObservation>& trials = side.observation.cells[0].trials;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].row.session_id = static_cast<std::int64_t>(i / kTrials) + 1;
  }
  return side;
}

bool is_called(Verdict verdict) {
  return verdict == Verdict::kFaster || verdict == Verdict::kSlower;
}

}  // namespace

SidesTally run_sides(std::size_t sessions,
                     double session_sd,
                     double effect,
                     std::size_t replicates,
                     std::uint64_t seed) {
  Noise noise(seed);
  SidesTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const std::vector<double> a = trial_times(sessions, session_sd, 0.01, 1.0 + effect, noise);
    const std::vector<double> b = trial_times(sessions, session_sd, 0.01, 1.0, noise);
    const SideComparison comparison = compare_sides(make_side(a), make_side(b), 0.02, 0.95);
    tally.called.add(is_called(comparison.cells.at(0).verdict));
    tally.called_trials.add(stats::welch_t(a, b, 0.95).p.value() < 0.05);
  }
  return tally;
}

Tally run_interleaved(double session_sd,
                      double effect,
                      std::size_t replicates,
                      std::uint64_t seed) {
  Noise noise(seed);
  Tally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    const double of_session = noise.factor(session_sd);
    const CellObservation base = observe_cell(
        make_cell(1, 1, 8), trial_times(1, 0.0, 0.03, of_session * (1.0 + effect), noise));
    const CellObservation cell =
        observe_cell(make_cell(2, 2, 8), trial_times(1, 0.0, 0.03, of_session, noise));
    tally.add(is_called(
        compare_cells(make_observation({base, cell}, Scaling::kStrong), {}).at(0).verdict));
  }
  return tally;
}

HistoryTally run_histories(std::size_t cells,
                           std::size_t sessions,
                           double shift,
                           std::size_t replicates,
                           std::uint64_t seed) {
  Noise noise(seed);
  HistoryTally tally;
  const std::size_t change = sessions / 3;
  for (std::size_t r = 0; r < replicates; ++r) {
    Side side;
    for (std::size_t id = 1; id <= cells; ++id) {
      std::vector<double> times_s;
      for (std::size_t session = 0; session < sessions; ++session) {
        times_s.push_back(noise.factor(0.02) * (id == 1 && session >= change ? 1.0 + shift : 1.0));
      }
      const auto number = static_cast<std::int64_t>(id);
      CellObservation cell = observe_cell(make_cell(number, number, 8), times_s);
      for (std::size_t session = 0; session < sessions; ++session) {
        cell.trials[session].row.session_id = static_cast<std::int64_t>(session);
      }
      side.observation.cells.push_back(std::move(cell));
    }
    const std::vector<CellChange> changes = find_history(side, 0.95).changes;
    tally.called.add(!changes.empty());
    const bool is_found = changes.size() == 1 && changes[0].cell.id == 1;
    tally.found.add(is_found);
    if (is_found) {
      const auto truth = static_cast<std::int64_t>(change);
      tally.placed.add(changes[0].earliest <= truth && truth <= changes[0].latest);
    }
  }
  return tally;
}

}  // namespace scalestudy::test
