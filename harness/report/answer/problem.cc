#include "harness/report/answer/problem.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "harness/report/answer/target_answers.h"
#include "harness/report/input/cell_names.h"
#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"

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

// By all parameters in which the cells of the problem differ.
std::string name_among(const ReportInput& input, const Problem& problem, const CellRow& cell) {
  const auto are_alike = [&](const auto& value_of) {
    return std::ranges::all_of(problem.cells, [&](const CellRow* other) {
      return value_of(*other) == value_of(*problem.cells.front());
    });
  };
  const bool are_devices_said = !are_alike([](const CellRow& other) { return other.devices; });
  return name_parameters(
      cell,
      [&](const CellRow::Parameter& parameter) {
        return !(are_devices_said && follows_devices(parameter.name, problem.cells)) &&
               !are_alike([&](const CellRow& other) {
                 const CellRow::Parameter* theirs = find_varied(other, parameter.name);
                 return theirs == nullptr ? "" : theirs->value;
               });
      },
      input.declared.labels);
}

}  // namespace

std::vector<Problem> problems_of(const ReportInput& input, const std::vector<Pair>& pairs) {
  std::vector<Problem> problems;
  const auto add = [&](const Pair& pair, bool has_verdict) {
    const auto conditions = conditions_of(*pair.cell, input.declared);
    auto found = std::ranges::find_if(problems, [&](const Problem& problem) {
      return problem.pairs.front()->base == pair.base &&
             conditions_of(*problem.cells.front(), input.declared) == conditions;
    });
    if (found == problems.end()) {
      found = problems.insert(problems.end(), Problem());
      found->has_verdict = has_verdict;
      if (pair.is_choice) {
        found->base = pair.base;
        found->cells.push_back(pair.base);
      }
    }
    if (found->has_verdict == has_verdict) {
      found->pairs.push_back(&pair);
      found->cells.push_back(pair.cell);
    }
  };
  for (const bool has_verdict : {true, false}) {
    for (const Pair& pair : pairs) {
      if (is_usable(*pair.speedup) == has_verdict && (has_verdict || wants_verdict(input, pair))) {
        add(pair, has_verdict);
      }
    }
  }
  std::erase_if(problems, [](const Problem& problem) { return problem.cells.size() < 2; });
  for (Problem& problem : problems) {
    std::ranges::copy_if(problem.cells, std::back_inserter(problem.kept), [&](const CellRow* cell) {
      return keeps_limits(input, *cell);
    });
  }
  return problems;
}

std::string name_in_problem(const ReportInput& input, const Problem& problem, const CellRow& cell) {
  if (input.common_base() != nullptr && conditions_of(cell, input.declared).empty()) {
    return configuration(input, cell);
  }
  if (problem.base == nullptr) {
    return name_among(input, problem, cell);
  }
  const std::string name = short_name_in(problem, cell);
  const auto says_more = [&](const Pair* pair) {
    return pair->name.starts_with(name + ", ") || pair->name.ends_with(", " + name);
  };
  if (std::ranges::none_of(problem.pairs, says_more)) {
    return name;
  }
  std::set<std::string> names;
  for (const Pair* pair : problem.pairs) {
    const bool are_devices_said = pair->cell->devices != pair->base->devices;
    for (const CellRow::Parameter& parameter : pair->cell->parameters) {
      const CellRow::Parameter* theirs = find_varied(*pair->base, parameter.name);
      if ((theirs == nullptr || theirs->value != parameter.value) &&
          !(are_devices_said && follows_devices(parameter.name, {pair->cell, pair->base}))) {
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
