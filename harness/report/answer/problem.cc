#include "harness/report/answer/problem.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>

#include "harness/report/answer/target_answers.h"
#include "harness/report/input/cell_names.h"
#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "workloads/names/names.h"

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

void add_other(Chosen& chosen, const CellRow& cell, Verdict verdict) {
  if (verdict == Verdict::kEquivalent) {
    chosen.equal.push_back(&cell);
  } else if (verdict != Verdict::kSlower && verdict != Verdict::kWorse) {
    chosen.open.push_back(&cell);
  }
}

// Of two cells by their speedup or efficiency.
Chosen chosen_of_two(const Pair& pair, const ComparisonRow& row) {
  if (!is_usable(row)) {
    return {};
  }
  const bool is_better = *row.value > 1.0;
  const bool is_other_worse = row.verdict == (is_better ? Verdict::kFaster : Verdict::kSlower);
  Chosen chosen;
  chosen.best = is_better ? pair.cell : pair.base;
  add_other(chosen,
            is_better ? *pair.base : *pair.cell,
            is_other_worse                        ? Verdict::kSlower
            : row.verdict == Verdict::kEquivalent ? Verdict::kEquivalent
                                                  : Verdict::kNoDetectableDifference);
  return chosen;
}

// The pair of the only two cells to choose among, the first of them the base; nullptr otherwise.
const Pair* only_pair(const Problem& problem) {
  if (problem.kept.size() != 2 || problem.kept.front() != problem.base) {
    return nullptr;
  }
  return *std::ranges::find(problem.pairs, problem.kept.back(), &Pair::cell);
}

// By their comparisons with the best, which alone has no such row; where there are none, which are
// of three cells or more, of two by `row`. None where one of them lacks a verdict, or where the
// best is none of them: then it has no usable speedup, and whether it is better is not known.
Chosen chosen_of(const ReportInput& input,
                 const Problem& problem,
                 const std::string& quantity,
                 const ComparisonRow* row) {
  Chosen chosen;
  std::vector<const CellRow*> unbeaten;
  std::set<std::int64_t> compared_with;
  for (const CellRow* cell : problem.kept) {
    const ComparisonRow* compared = input.comparison(cell->id, quantity);
    if (compared == nullptr) {
      unbeaten.push_back(cell);
    } else if (!is_usable(*compared)) {
      return {};
    } else {
      compared_with.insert(compared->baseline_cell_id);
      if (is_open_by_adjustment(*compared) && *compared->hi < 1.0) {
        ++chosen.unnamed;
      } else {
        add_other(chosen, *cell, compared->verdict);
      }
    }
  }
  if (compared_with.empty()) {
    const Pair* pair = only_pair(problem);
    chosen.best = problem.kept.size() == 1 ? problem.kept.front() : nullptr;
    return pair != nullptr && row != nullptr ? chosen_of_two(*pair, *row) : chosen;
  }
  if (unbeaten.size() != 1 || !compared_with.contains(unbeaten.front()->id)) {
    return {};
  }
  chosen.best = unbeaten.front();
  return chosen;
}

std::optional<Verdict> loss_of_all(const ReportInput& input, const Problem& problem) {
  if (problem.has_verdict) {
    return std::nullopt;
  }
  Verdict loss = Verdict::kOutOfMemory;
  for (const CellRow* cell : problem.cells) {
    const std::optional<Verdict> own = loss_of(input, *cell);
    if (!own) {
      return std::nullopt;
    }
    loss = *own == Verdict::kFailed ? *own : loss;
  }
  return loss;
}

// Whether cells stand in the same relation at this price as at the first.
bool ranks_alike(const ReportInput& input, const Price* price, const Problem& problem) {
  const Price* first = first_price(input);
  const CellRow& like = *(problem.kept.empty() ? problem.cells : problem.kept).front();
  return price == first || std::ranges::all_of(problem.kept, [&](const CellRow* cell) {
           return is_proportional(
               *first, *price, {like.devices, like.nodes}, {cell->devices, cell->nodes});
         });
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
    problem.is_base_lost = std::ranges::any_of(
        problem.pairs, [](const Pair* pair) { return is_base_lost(pair->speedup->verdict); });
    problem.loss = loss_of_all(input, problem);
    std::ranges::copy_if(problem.cells, std::back_inserter(problem.kept), [&](const CellRow* cell) {
      const EstimateRow* time = input.estimate(cell->id, names::kStepTime);
      const bool is_measured = time != nullptr && time->value && input.has_claim(*cell);
      return keeps_limits(input, *cell) && (is_measured || !problem.is_base_lost);
    });
  }
  return problems;
}

Chosen fastest_of(const ReportInput& input, const Problem& problem) {
  const Pair* pair = only_pair(problem);
  return chosen_of(input, problem, names::kFastest, pair == nullptr ? nullptr : pair->speedup);
}

const Price* first_price(const ReportInput& input) {
  return input.declared.cost ? &input.declared.cost->price : nullptr;
}

bool differ_in_price(const Price* price, const Problem& problem) {
  const CellRow& first = *(problem.kept.empty() ? problem.cells : problem.kept).front();
  return std::ranges::any_of(problem.kept, [&](const CellRow* cell) {
    return hourly(price, cell->devices, cell->nodes) != hourly(price, first.devices, first.nodes);
  });
}

Chosen cheapest_of(const ReportInput& input, const Price* price, const Problem& problem) {
  if (!ranks_alike(input, price, problem)) {
    return differ_in_price(price, problem) ? chosen_of(input, problem, cheapest_at(*price), nullptr)
                                           : fastest_of(input, problem);
  }
  const Price* same = first_price(input);
  if (!differ_in_price(same, problem)) {
    return fastest_of(input, problem);
  }
  const bool is_per_node = same != nullptr && same->per_node_hour > 0.0;
  const Pair* pair = only_pair(problem);
  const ComparisonRow* efficiency = is_per_node || pair == nullptr
                                        ? nullptr
                                        : input.comparison(pair->cell->id, names::kEfficiency);
  return chosen_of(input, problem, std::string(kCheapest), efficiency);
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
