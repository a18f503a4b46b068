#include "tests/analysis/simulation/searches.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/search/search_result.h"
#include "tests/analysis/by_hand.h"
#include "tests/stats/simulation/noise.h"

namespace scalestudy::test {
namespace {

constexpr double kTrialWall = 10.0;  // s
constexpr const char* kPlan = "p";

class Simulation {
 public:
  Simulation(const SearchTruth& truth, Noise& noise) : truth_(truth), noise_(noise) {
    Search search;
    search.over = {"a", "b", "c"};
    search.budget_s = 1e9;
    search.max_trials = truth.max_trials;
    study_.search = search;
    study_.trials.count = kMostSearchBlocks;
    for (const std::string& name : study_.search->over) {
      study_.analysis.baseline[name] = std::int64_t{0};
    }
    observation_ = make_observation({}, Scaling::kNone);
    const std::int64_t settings = truth.side * truth.side * truth.side;
    for (std::int64_t place = 0; place < settings; ++place) {
      observation_.cells.push_back(setting(place));
    }
  }

  // To the end.
  void run() {
    SearchBlocks next{.first = 0, .count = 1, .cells = {}};
    for (const CellObservation& cell : observation_.cells) {
      next.cells[cell.row.id] = SearchPart::kRace;
    }
    for (; next.count > 0; next = next_search_blocks(observation_, trials_, study_, kPlan)) {
      for (std::int64_t block = next.first; block < next.first + next.count; ++block) {
        measure(block, next.cells);
      }
    }
    results_.comparisons = compare_cells(fresh_only(observation_, trials_), study_);
    add_search(observation_, trials_, study_, results_);
  }

  [[nodiscard]] double speedup(std::int64_t id) const {
    const auto found = truth_.speedups.find(id - 1);
    return found == truth_.speedups.end() ? 1.0 : found->second;
  }

  [[nodiscard]] const Results& results() const { return results_; }
  [[nodiscard]] const std::vector<TrialRow>& trials() const { return trials_; }

  // Of the winner, with its trials of the race.
  [[nodiscard]] stats::RatioInterval over_all(std::int64_t winner) const {
    return time_ratio(observation_.cells.front(),
                      observation_.cells.at(static_cast<std::size_t>(winner - 1)),
                      1.0,
                      study_)
        .interval;
  }

 private:
  [[nodiscard]] CellObservation setting(std::int64_t place) const {
    CellRow row = make_cell(place + 1, 1, 64);
    row.hash = "s" + std::to_string(place);
    row.baseline = "s0";
    row.parameters.clear();
    for (const std::string& name : study_.search->over) {
      row.parameters.push_back(
          {name, std::to_string(place % truth_.side), ValueKind::kInteger, true});
      place /= truth_.side;
    }
    return observe_cell(row, {});
  }

  void measure(std::int64_t block, const std::map<std::int64_t, SearchPart>& cells) {
    const double of_block = noise_.factor(truth_.block_sd);
    for (const auto& [id, part] : cells) {
      TrialObservation trial;
      trial.row.id = static_cast<std::int64_t>(trials_.size()) + 1;
      trial.row.cell_id = id;
      trial.row.plan = kPlan;
      trial.row.block = block;
      trial.row.state = TrialState::kOk;
      trial.row.part = part;
      trial.row.wall_s = kTrialWall;
      trial.row.session_id = 1;
      const double time_s = of_block * noise_.factor(truth_.trial_sd) / speedup(id);
      trial.metrics[kStepTime] = {.steps = 100,
                                  .mean = time_s,
                                  .p50 = time_s,
                                  .p95 = time_s,
                                  .p99 = time_s,
                                  .last = time_s};
      trials_.push_back(trial.row);
      observation_.cells.at(static_cast<std::size_t>(id - 1)).trials.push_back(std::move(trial));
    }
  }

  const SearchTruth& truth_;
  Noise& noise_;
  Study study_;
  StudyObservation observation_;
  std::vector<TrialRow> trials_;
  Results results_;
};

void count(const Simulation& search, const SearchTruth& truth, SearchTally& tally) {
  double best = 1.0;
  for (const auto& [place, speedup] : truth.speedups) {
    best = std::max(best, speedup);
  }
  std::int64_t winner = 0;
  for (const SearchSettingRow& row : search.results().search_settings) {
    if (row.is_recommended) {
      tally.claimed.add(row.role != SearchRole::kDefault);
      tally.used.add(std::log(best / search.speedup(row.cell_id)) <= std::log1p(0.02));
    }
    winner = row.role == SearchRole::kWinner ? row.cell_id : winner;
  }
  tally.kept.add(search.speedup(winner) == best);
  for (const ComparisonRow& row : search.results().comparisons) {
    if (row.quantity != kSpeedup) {
      continue;
    }
    tally.covered.add_interval(*row.lo, *row.hi, search.speedup(row.cell_id));
    tally.gain += row.cell_id == winner ? *row.value / search.speedup(winner) : 0.0;
    tally.fresh_blocks += row.cell_id == winner ? static_cast<double>(row.n) : 0.0;
  }
  const stats::RatioInterval mistaken = search.over_all(winner);
  tally.covered_all.add_interval(*mistaken.lo, *mistaken.hi, search.speedup(winner));
  tally.gain_all += *mistaken.ratio / search.speedup(winner);
  tally.trials += static_cast<double>(search.trials().size());
  tally.race_trials +=
      static_cast<double>(std::ranges::count(search.trials(), SearchPart::kRace, &TrialRow::part));
}

}  // namespace

SearchTally run_searches(const SearchTruth& truth, std::size_t replicates, std::uint64_t seed) {
  Noise noise(seed);
  SearchTally tally;
  for (std::size_t r = 0; r < replicates; ++r) {
    Simulation search(truth, noise);
    search.run();
    count(search, truth, tally);
  }
  for (double* mean :
       {&tally.gain, &tally.gain_all, &tally.trials, &tally.race_trials, &tally.fresh_blocks}) {
    *mean /= static_cast<double>(replicates);
  }
  return tally;
}

}  // namespace scalestudy::test
