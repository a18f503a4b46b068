#include "harness/analysis/threats/load_crowding.h"

#include <algorithm>

#include "harness/analysis/threats/threats.h"
#include "stats/shares.h"

namespace scalestudy {
namespace {

// p value of the loaded trials, among those with a reading, being spread by chance over cells and
// over numbers of devices: the smaller of both. Blocks are in random order, other orders are taken
// as one.
double spread_p(const std::vector<const CellObservation*>& cells,
                const Study& study,
                const ReadLoad& read) {
  std::map<std::int64_t, std::vector<stats::Mark>> strata;
  std::map<std::int64_t, std::size_t> numbers;  // of numbers of devices
  std::vector<std::size_t> devices;             // such a number for each cell
  LoadBlocks blocks(study);
  for (const CellObservation* cell : cells) {
    for (const TrialObservation& trial : cell->trials) {
      if (const LoadReading load = read(trial); load != LoadReading::kNone) {
        strata[blocks.of(trial.row)].push_back(
            {.group = devices.size(), .is_marked = load == LoadReading::kLoaded});
      }
    }
    devices.push_back(numbers.emplace(cell->row.devices, numbers.size()).first->second);
  }
  std::vector<std::vector<stats::Mark>> all;
  for (auto& [block, marks] : strata) {
    all.push_back(std::move(marks));
  }
  constexpr std::uint64_t seed = 20140328;  // of drawn permutations: equal stores, equal reports
  const stats::EqualShares shares = stats::equal_shares(all, seed, devices);
  return std::min(shares.p.value_or(1.0), shares.coarse_p.value_or(1.0));
}

double share_loaded(const CellObservation& cell, const ReadLoad& read) {
  double loaded = 0.0;
  double known = 0.0;
  for (const TrialObservation& trial : cell.trials) {
    loaded += read(trial) == LoadReading::kLoaded ? 1.0 : 0.0;
    known += read(trial) == LoadReading::kNone ? 0.0 : 1.0;
  }
  return known > 0.0 ? loaded / known : 0.0;
}

}  // namespace

Crowding find_crowding(const StudyObservation& observation,
                       const Study& study,
                       const ReadLoad& read) {
  constexpr std::size_t most = 3;
  Crowding found;
  std::vector<const CellObservation*> others;
  for (const CellObservation& cell : observation.cells) {
    others.push_back(&cell);
  }
  const auto p_of = [&] { return spread_p(others, study, read); };
  double p = p_of();
  while (p < kThreatAlpha) {
    if (found.cells.size() == most) {
      found.is_of_all = true;
      return found;
    }
    const auto worst = std::ranges::max_element(
        others, {}, [&](const CellObservation* cell) { return share_loaded(*cell, read); });
    found.cells.push_back({*worst, p});
    others.erase(worst);
    p = p_of();
  }
  return found;
}

}  // namespace scalestudy
