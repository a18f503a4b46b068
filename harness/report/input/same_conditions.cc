#include "harness/report/input/same_conditions.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/group_keys.h"
#include "harness/report/input/groups.h"
#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// What the names of all these cells end with, of `end`.
std::string shared_end(const ReportInput& input,
                       const std::vector<const CellRow*>& cells,
                       std::string end) {
  for (const CellRow* cell : cells) {
    const std::string name = short_name(input, *cell);
    while (!end.empty() && !(name.ends_with(end) && end.starts_with(", "))) {
      end.erase(0, std::min(end.find(", ", 1), end.size()));
    }
  }
  return end;
}

}  // namespace

std::vector<SameConditions> by_conditions(const ReportInput& input,
                                          const std::vector<const CellRow*>& cells) {
  constexpr std::size_t most_told = 3;
  const bool has_decide = !input.declared.analysis.decide.empty();
  std::vector<SameConditions> all;
  for (const CellRow* cell : cells) {
    std::map<std::string, std::string> conditions = conditions_of(*cell, input.declared);
    std::erase_if(conditions, [&](const auto& condition) {
      return is_batch(condition.first) || (condition.first == names::kDevices && !has_decide);
    });
    auto found = std::ranges::find(all, conditions, &SameConditions::conditions);
    if (found == all.end()) {
      found = all.insert(all.end(), SameConditions{conditions, "", {}});
    }
    found->cells.push_back(cell);
  }
  if (!has_decide) {
    all.resize(std::min<std::size_t>(all.size(), 1));
  }
  const std::vector<SameConditions> known = all;
  all.resize(std::min(all.size(), most_told));
  for (SameConditions& same : all) {
    std::erase_if(same.conditions, [&](const auto& condition) {
      return std::ranges::all_of(known, [&](const SameConditions& other) {
        const auto theirs = other.conditions.find(condition.first);
        return theirs != other.conditions.end() && theirs->second == condition.second;
      });
    });
    same.label = name_parameters(
        *same.cells.front(),
        [&](const CellRow::Parameter& one) { return same.conditions.contains(one.name); },
        input.declared.labels);
  }
  for (std::size_t i = 0; i < all.size() && known.size() > most_told; ++i) {
    all[i].label += fmt::format(" ({} of {})", i + 1, known.size());
  }
  return all;
}

std::string said_end(const ReportInput& input, const SameConditions& same) {
  const std::string said = name_parameters(
      *same.cells.front(),
      [&](const CellRow::Parameter& one) {
        return same.conditions.contains(one.name) && !splits_groups(input.declared, one.name);
      },
      input.declared.labels);
  if (const std::string own = shared_end(input, same.cells, ", " + said); !own.empty()) {
    return own;
  }
  std::vector<const CellRow*> all;
  for (const Group& group : group_cells(input)) {
    all.insert(all.end(), group.cells.begin(), group.cells.end());
  }
  return all.size() < 2 ? "" : shared_end(input, all, short_name(input, *all.front()));
}

std::string name_without(const ReportInput& input, const CellRow& cell, const std::string& end) {
  std::string name = short_name(input, cell);
  if (name.ends_with(end)) {
    name.resize(name.size() - end.size());
  }
  return name;
}

}  // namespace scalestudy::report
