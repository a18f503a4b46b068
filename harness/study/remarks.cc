#include "harness/study/remarks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/study/sections.h"

namespace scalestudy {
namespace {

bool has(const Cell& cell, const std::string& name, const Value& value) {
  const auto own = effective_value(cell.effective, name);
  return own && format_value(*own) == format_value(value);
}

// What the cells have of a parameter, numbers by size.
std::vector<std::string> values_of(const std::vector<const Cell*>& cells, const std::string& name) {
  std::set<Value> values;
  for (const Cell* cell : cells) {
    if (auto value = effective_value(cell->effective, name)) {
      values.insert(*std::move(value));
    }
  }
  std::vector<std::string> texts;
  std::ranges::transform(values, std::back_inserter(texts), format_value);
  return texts;
}

using Selection = std::map<std::string, std::vector<Value>>;

// Of a selection, each value that none of the cells has; where they have all of them, but no cell
// one of each, that.
void add_unmatched(Unmatched found,
                   const Selection& selection,
                   const std::vector<const Cell*>& cells,
                   std::vector<Unmatched>& all) {
  const std::size_t before = all.size();
  for (const auto& [name, values] : selection) {
    for (const Value& value : values) {
      if (std::ranges::none_of(cells, [&](const Cell* cell) { return has(*cell, name, value); })) {
        Unmatched& one = all.emplace_back(found);
        one.name = name;
        one.text = fmt::format("{}: no cell has {}={}; there are {}",
                               found.text,
                               name,
                               format_value(value),
                               list_some(values_of(cells, name)));
      }
    }
  }
  const auto is_selected = [&](const Cell* cell) {
    return std::ranges::all_of(selection, [&](const auto& entry) {
      return std::ranges::any_of(
          entry.second, [&](const Value& value) { return has(*cell, entry.first, value); });
    });
  };
  if (all.size() == before && !selection.empty() && std::ranges::none_of(cells, is_selected)) {
    found.name = selection.begin()->first;
    found.text += ": there are cells with each of these values, and none with all of them";
    all.push_back(std::move(found));
  }
}

Selection selection_of(const Parameters& where) {
  Selection selection;
  for (const auto& [name, value] : where) {
    selection[name] = {value};
  }
  return selection;
}

}  // namespace

std::vector<Unmatched> unmatched_values(const Study& study, const Matrix& matrix) {
  std::vector<const Cell*> left;
  for (const Cell& cell : matrix.cells) {
    if (cell.role == CellRole::kMeasured) {
      left.push_back(&cell);
    }
  }
  std::vector<const Cell*> all = left;
  for (const ExcludedCell& excluded : matrix.excluded) {
    all.push_back(&excluded.cell);
  }
  std::vector<Unmatched> unmatched;
  for (std::size_t i = 0; i < study.exclude.size(); ++i) {
    add_unmatched({.section = "exclude", .index = i, .text = fmt::format("exclude rule {}", i + 1)},
                  study.exclude[i],
                  all,
                  unmatched);
  }
  const std::vector<Target>& targets = study.analysis.targets;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    add_unmatched({.section = "analysis.targets",
                   .index = i,
                   .text = fmt::format("analysis.targets[{}].where", i)},
                  selection_of(targets[i].where),
                  left,
                  unmatched);
  }
  for (std::size_t i = 0; study.cost && i < study.cost->investments.size(); ++i) {
    add_unmatched({.section = "cost.investments",
                   .index = i,
                   .text = fmt::format("cost.investments[{}].where", i)},
                  selection_of(study.cost->investments[i].where),
                  left,
                  unmatched);
  }
  return unmatched;
}

std::vector<std::string> unseen_devices(const Study& study) {
  const std::set<std::string> varied = varied_names(study);
  std::vector<std::string> remarks;
  if (study.workload != Workload::kCommand || varied.contains("devices") ||
      study.parameters.contains("devices")) {
    return remarks;
  }
  for (const std::string& name : varied) {
    if (means_devices(name)) {
      remarks.push_back(fmt::format(
          "{0} is taken for a setting like any other: the number of devices is `devices`, by "
          "which throughput per device, efficiency and laws go. Call the axis devices, and write "
          "{{devices}} where {{{0}}} stands",
          name));
    }
  }
  return remarks;
}

}  // namespace scalestudy
