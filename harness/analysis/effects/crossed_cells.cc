#include "harness/analysis/effects/crossed_cells.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "harness/analysis/cells/claims.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

using Others = std::map<std::string, std::string>;

// Whether another value of it is another way to do the same work.
bool is_setting(const std::string& name) {
  constexpr std::array<std::string_view, 6> not_settings = {names::kDevices,
                                                            names::kNodes,
                                                            names::kBatchGlobal,
                                                            names::kBatchPerDevice,
                                                            names::kModel,
                                                            names::kMessageBytes};
  return std::ranges::find(not_settings, name) == not_settings.end();
}

Others varied_of(const CellRow& cell) {
  Others values;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    if (parameter.varied) {
      values.emplace(parameter.name, parameter.value);
    }
  }
  return values;
}

bool is_baseline(const CellObservation& cell) {
  return cell.row.baseline == cell.row.hash;
}

bool are_neighbours(const CellPair& one, const CellPair& other) {
  if (one.others.size() != other.others.size()) {
    return false;
  }
  std::size_t differing = 0;
  for (const auto& [name, value] : one.others) {
    const auto found = other.others.find(name);
    if (found == other.others.end()) {
      return false;
    }
    differing += found->second != value ? 1U : 0U;
  }
  return differing == 1;
}

// Takes the pair at `first` out of `pairs`, and all to which it leads.
std::vector<CellPair> take_linked(std::vector<CellPair>& pairs, std::ptrdiff_t first) {
  std::vector<CellPair> linked = {pairs[static_cast<std::size_t>(first)]};
  pairs.erase(pairs.begin() + first);
  for (std::size_t i = 0; i < linked.size(); ++i) {
    const auto begin =
        std::stable_partition(pairs.begin(), pairs.end(), [&](const CellPair& other) {
          return !are_neighbours(linked[i], other);
        });
    const std::vector<CellPair> found(begin, pairs.end());
    pairs.erase(begin, pairs.end());
    linked.insert(linked.end(), found.begin(), found.end());
  }
  return linked;
}

std::vector<CellPair> largest_linked(std::vector<CellPair> pairs) {
  std::vector<CellPair> largest;
  while (true) {
    const auto first =
        std::ranges::find_if(pairs, [](const CellPair& pair) { return is_baseline(*pair.base); });
    if (first == pairs.end()) {
      return largest;
    }
    std::vector<CellPair> linked = take_linked(pairs, first - pairs.begin());
    if (linked.size() > largest.size()) {
      largest = std::move(linked);
    }
  }
}

// Cells by the value of a parameter, in the store's order, and by what else is varied.
struct Level {
  std::string value;
  std::map<Others, const CellObservation*> cells;
};

std::vector<Level> levels_of(const std::string& axis, const StudyObservation& observation) {
  std::vector<Level> levels;
  for (const CellObservation& cell : observation.cells) {
    Others others = varied_of(cell.row);
    const auto value = others.extract(axis);
    if (cell.row.role != CellRole::kMeasured || value.empty()) {
      continue;
    }
    auto level = std::ranges::find(levels, value.mapped(), &Level::value);
    if (level == levels.end()) {
      level = levels.insert(levels.end(), Level{.value = value.mapped(), .cells = {}});
    }
    level->cells.emplace(std::move(others), &cell);
  }
  return levels;
}

bool has_baseline(const Level& level) {
  return std::ranges::any_of(level.cells,
                             [](const auto& entry) { return is_baseline(*entry.second); });
}

void add_crossed(const std::string& axis,
                 const StudyObservation& observation,
                 std::vector<CrossedCells>& all) {
  const std::vector<Level> levels = levels_of(axis, observation);
  if (std::ranges::count_if(levels, has_baseline) != 1) {
    return;
  }
  const Level& base = *std::ranges::find_if(levels, has_baseline);
  for (const Level& level : levels) {
    std::vector<CellPair> pairs;
    for (const auto& [others, cell] : level.cells) {
      const auto found = base.cells.find(others);
      if (&level != &base && found != base.cells.end() && !found->second->trials.empty() &&
          !cell->trials.empty() && !why_no_claim(*found->second, *cell)) {
        pairs.push_back({found->second, cell, others});
      }
    }
    pairs = largest_linked(std::move(pairs));
    if (pairs.size() > 1) {
      all.push_back({axis, std::move(pairs)});
    }
  }
}

}  // namespace

std::vector<CrossedCells> find_crossed_cells(const StudyObservation& observation,
                                             const Study& study) {
  std::vector<CrossedCells> all;
  for (const auto& [name, value] : study.analysis.baseline) {
    if (is_setting(name)) {
      add_crossed(name, observation, all);
    }
  }
  return all;
}

}  // namespace scalestudy
