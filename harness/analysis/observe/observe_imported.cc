#include "harness/analysis/observe/observe_imported.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "harness/store/rows/launch_order.h"

namespace scalestudy {
namespace {

// Numbers imported trials by what is known of them, as blocks of one plan: declared blocks by their
// first launch, others by the order of launch. In the cells of a merged store no two are then
// equal.
void number_imported(StudyObservation& observation) {
  const Imported& known = observation.imported.value();
  using Order = std::pair<std::int64_t, std::int64_t>;
  using Place = std::tuple<Order, std::string, std::int64_t>;  // order, plan, block or id
  std::map<std::pair<std::string, std::int64_t>, Order> first;
  const auto together = [&](const TrialRow& row) {
    return std::pair(row.plan, known.has_blocks ? row.block : row.id);
  };
  const auto order = [&](const TrialRow& row) {
    return known.has_order    ? launch_order(row.position)
           : known.has_blocks ? Order(row.block, 0)
                              : Order();
  };
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      const auto place = first.emplace(together(trial.row), order(trial.row)).first;
      place->second = std::min(place->second, order(trial.row));
    }
  }
  std::set<Place> places;
  for (const auto& [block, start] : first) {
    places.emplace(start, block.first, block.second);
  }
  for (CellObservation& cell : observation.cells) {
    for (TrialObservation& trial : cell.trials) {
      const auto block = together(trial.row);
      trial.row.block =
          std::distance(places.begin(), places.find({first.at(block), block.first, block.second}));
    }
    std::ranges::stable_sort(
        cell.trials, {}, [](const TrialObservation& trial) { return trial.row.block; });
  }
}

}  // namespace

void observe_imported(const std::vector<TrialRow>& trials, StudyObservation& observation) {
  observation.imported = imported_of(trials);
  if (observation.imported) {
    number_imported(observation);
  }
}

}  // namespace scalestudy
