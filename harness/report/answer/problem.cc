#include "harness/report/answer/problem.h"

#include <algorithm>
#include <set>

#include "harness/report/input/cell_names.h"
#include "harness/store/cell_name.h"

namespace scalestudy::report {
namespace {

std::string short_name_in(const Problem& problem, const CellRow& cell) {
  std::string name;
  for (const Pair* pair : problem.pairs) {
    if (pair->cell == &cell) {
      return pair->name;
    }
    name = pair->base_name.size() > name.size() ? pair->base_name : name;
  }
  return name;
}

}  // namespace

std::vector<Problem> problems_of(const std::vector<Pair>& pairs) {
  std::vector<Problem> problems;
  for (const Pair& pair : pairs) {
    if (!is_usable(*pair.speedup)) {
      continue;
    }
    auto found = std::ranges::find(problems, pair.base, &Problem::base);
    if (found == problems.end()) {
      found = problems.insert(problems.end(), {pair.base, {}});
    }
    found->pairs.push_back(&pair);
  }
  return problems;
}

std::string name_in_problem(const ReportInput& input, const Problem& problem, const CellRow& cell) {
  if (input.common_base() != nullptr) {
    return configuration(input, cell);
  }
  const std::string name = short_name_in(problem, cell);
  const auto goes_on = [&](const Pair* pair) { return pair->name.starts_with(name + ", "); };
  if (std::ranges::none_of(problem.pairs, goes_on)) {
    return name;
  }
  std::set<std::string> names;
  for (const Pair* pair : problem.pairs) {
    const bool are_devices_said = pair->cell->devices != pair->base->devices;
    for (const CellRow::Parameter& parameter : pair->cell->parameters) {
      const CellRow::Parameter* theirs = find_varied(*pair->base, parameter.name);
      if ((theirs == nullptr || theirs->value != parameter.value) &&
          !(are_devices_said && follows_devices(parameter.name))) {
        names.insert(parameter.name);
      }
    }
  }
  return name_parameters(
      cell,
      [&](const CellRow::Parameter& parameter) { return names.contains(parameter.name); },
      input.declared.labels);
}

}  // namespace scalestudy::report
